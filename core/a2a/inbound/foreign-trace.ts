import { z } from "zod";
import { RETENTION_MS } from "../../contract/bus.ts";
import { collection, keyOf } from "../../contract/collection.ts";
import type { Store } from "../../contract/store.ts";
import type { UserMessage } from "../../contract/user-message.ts";
import { otelTraceId } from "../../telemetry/index.ts";
import { turnIdOf } from "../../turns/index.ts";

/** Which turn a caller's trace led to, the latest: such a trace's id says nothing about our work. */
const ForeignTrace = z.looseObject({ turnId: z.string() });

const traces = collection("foreign-traces", ForeignTrace, { ttlMs: RETENTION_MS });

type Place = Pick<UserMessage, "tenant" | "agent">;

const traceKey = ({ tenant, agent }: Place, traceId: string) => keyOf(traces, tenant, agent, traceId);

export const noteForeignTrace = async (store: Store, message: UserMessage): Promise<void> => {
  await store.put(traceKey(message, otelTraceId(message.traceId)), { turnId: turnIdOf(message) });
};

/** By the id that OpenTelemetry has. */
export const readForeignTrace = async (store: Store, place: Place, traceId: string): Promise<string | undefined> =>
  (await store.get(traceKey(place, traceId)))?.value.turnId;
