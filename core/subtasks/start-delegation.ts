import type { Consumer } from "../contract/bus.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { Agent } from "../turns/index.ts";
import { fileTools } from "../workspaces/index.ts";
import { handleBatchTimer } from "./handle-batch-timer.ts";
import { handleBuriedRun } from "./handle-buried-run.ts";
import { handleBuriedSubtaskMessage } from "./handle-buried-subtask-message.ts";
import { handleBuriedTimer } from "./handle-buried-timer.ts";
import { handleSubtaskMessage } from "./handle-subtask-message.ts";
import type { RunParts } from "./handle-subtask-run.ts";
import { handleSubtaskRun } from "./handle-subtask-run.ts";
import { RunningGauge } from "./running-gauge.ts";
import { reportTools } from "./tools/report-tools.ts";

/** Most of the time a subtask waits, for its model or for its own subtasks; those must find room beside it. */
const RUNS_AT_ONCE = 1_000;
const HANDLERS_AT_ONCE = 64;

/** Takes up the subtasks of an agent, and the messages about them. */
export const startDelegation = async (
  given: Omit<RunParts, "ownTools" | "running">,
  agent: Agent,
): Promise<Consumer[]> => {
  const workspaces = given.workspaces.get(agent.name);
  const ownTools = [...reportTools(given), ...(workspaces === undefined ? [] : fileTools(workspaces))];
  const parts: RunParts = { ...given, ownTools, running: new RunningGauge(given.meter) };
  const { bus, events } = parts;
  const subjects = subjectsOf(agent.tenant);
  await events.listenTo(bus, subjects.subtaskNews(agent.name));
  const several = { durable: "subtasks", concurrency: HANDLERS_AT_ONCE };
  const consumers = await Promise.all([
    bus.consume(
      subjects.subtaskRun(agent.name),
      {
        ...several,
        concurrency: RUNS_AT_ONCE,
        buried: (_, letter) => handleBuriedRun(parts, agent, letter),
      },
      (address, received) => handleSubtaskRun(parts, agent, address, received),
    ),
    bus.consume(
      subjects.subtaskMessage(agent.name),
      { ...several, buried: (message, letter) => handleBuriedSubtaskMessage(parts, message, letter) },
      (message) => handleSubtaskMessage(parts, message),
    ),
    bus.consume(
      subjects.batchTimer(agent.name),
      { ...several, buried: (timer, letter) => handleBuriedTimer(parts, agent, timer, letter) },
      (timer) => handleBatchTimer(parts, agent, timer),
    ),
  ]);
  const fields = { agent: agent.name, tenant: agent.tenant };
  parts.logger.debug(fields, "owners are heard");
  const close = async () => parts.logger.debug(fields, "owners are heard no longer");
  return [...consumers, { close }];
};
