import { RETENTION_MS } from "../contract/bus.ts";
import type { TurnRecord } from "./turn-record.ts";

/** A call to another agent is open for as long as the bus keeps messages, and its session is kept as long again (L7). */
const RUN_KEPT_MS = 2 * RETENTION_MS;

/** How long a turn's session is kept after it: that of a schedule's run ends, that of a conversation does not. */
export const sessionTtl = ({ standing }: Pick<TurnRecord, "standing">): { readonly ttlMs?: number } =>
  standing.owner.ownerType === "orchestrator" ? { ttlMs: RUN_KEPT_MS } : {};
