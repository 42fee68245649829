import type { AgentRef } from "../contract/agent-ref.ts";
import type { Bus } from "../contract/bus.ts";
import { subjectsOf } from "../contract/subjects.ts";

/** Announces a stored change of a piece of work; consoles that show its trace read it again. */
export const signalProgress = (bus: Bus, { tenant, agent, traceId }: AgentRef & { readonly traceId: string }): void =>
  bus.signal(subjectsOf(tenant).traceChanged(agent), { traceId });
