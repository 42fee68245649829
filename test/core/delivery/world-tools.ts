import type { Subtask } from "../../../core/contract/messages/subtask.ts";
import type { Bus } from "../../../core/contract/ports/bus.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { noCheckpoint, silentMeter } from "../../../core/contract/ports/telemetry.ts";
import type { ToolContext } from "../../../core/contract/tool.ts";
import { DueIndex } from "../../../core/schedules/due-index.ts";
import { scheduleTools } from "../../../core/schedules/schedule-tools.ts";
import { memberPermit } from "../../fakes/sample-permit.ts";
import { AGENT } from "../core-under-test.ts";
import type { Work } from "./audience-world.ts";

/** These tools need no bus. */
const noBus: Bus = {
  publish: async () => "stored",
  consume: async () => ({ close: async () => undefined }),
  signal: () => undefined,
  listen: async () => ({ close: () => undefined }),
};

const ref = { tenant: "default", agent: AGENT };
const STARTED = "2026-03-10T12:00:00.000Z";
const origin = { channel: "web", promptSummary: "ask", startedAt: STARTED, sessionId: "s" };
const delegationContext = {
  owner: { ownerType: "agent" as const, ownerId: "s" },
  depth: 0,
  rootTurnId: "t",
  background: false,
};

/** The tool context of a turn of this work. */
const contextOf = ({ audience, madeBy }: Work, idempotencyKey: string): ToolContext => ({
  ...ref,
  sessionId: "s",
  turnId: "t",
  origin,
  audience,
  asker: { personId: "", accountId: madeBy, name: madeBy },
  delegationContext,
  permit: memberPermit,
  tools: [],
  traceId: "trace",
  idempotencyKey,
  signal: new AbortController().signal,
});

/** Calls a schedule tool in a turn of this work. */
export const useScheduleTool = async (
  { store, clock }: { store: Store; clock: Clock },
  work: Work,
  name: string,
  input: Record<string, unknown>,
  key: string,
): Promise<string> => {
  const deps = { bus: noBus, store, clock, logger: silentLogger, meter: silentMeter, checkpoint: noCheckpoint };
  const tool = scheduleTools({ ...deps, dueTimes: new DueIndex(deps) }).find((one) => one.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return String(await tool.run(tool.input.parse(input), contextOf(work, key)));
};

/** A subtask of this work. */
export const subtaskOf = ({ audience, madeBy }: Work, id: string): Subtask => ({
  ...ref,
  id,
  callKey: id,
  parentTurnId: "t",
  parentSessionId: "s",
  planId: "t",
  agentType: "helper",
  name: "dig",
  prompt: "dig",
  expectedOutput: "",
  depth: 1,
  reports: "batch",
  permissions: { tools: [] },
  owner: delegationContext.owner,
  asker: { personId: "", accountId: madeBy, name: madeBy },
  origin,
  audience,
  background: false,
  traceId: "trace",
  status: "running",
  createdAt: STARTED,
  runs: 0,
  yields: 0,
  notes: 0,
  inbox: [],
});
