import { subjectsOf } from "../contract/messages/subjects.ts";
import type { Consumer } from "../contract/ports/bus.ts";
import type { Agent } from "../turns/index.ts";
import { handleSubtaskMessage, handleSubtaskMessageDeadLetter } from "./batch/handle-subtask-message.ts";
import { handleBatchTimer, handleTimerDeadLetter } from "./batch/sealed-batch.ts";
import { handleRunDeadLetter, handleSubtaskRun, type RunDeps, RunningGauge } from "./run/handle-subtask-run.ts";
import { startSweeping } from "./run/workspace-sweeper.ts";

/** Subtasks mostly wait, for a model or for their own subtasks, which must be able to run at the same time. */
const RUNS_AT_ONCE = 1_000;
const HANDLERS_AT_ONCE = 64;

/** Consumes the runs, messages and batch timers of an agent's subtasks. */
export const startDelegation = async (given: Omit<RunDeps, "running">, agent: Agent): Promise<Consumer[]> => {
  const deps: RunDeps = { ...given, running: new RunningGauge(given.meter) };
  const { bus, events } = deps;
  const subjects = subjectsOf(agent.tenant);
  await events.listenTo(bus, subjects.subtaskUpdate(agent.name));
  const several = { durable: "subtasks", concurrency: HANDLERS_AT_ONCE };
  const consumers = await Promise.all([
    bus.consume(
      subjects.subtaskRun(agent.name),
      {
        ...several,
        concurrency: RUNS_AT_ONCE,
        onDeadLetter: (_, letter) => handleRunDeadLetter(deps, agent, letter),
      },
      (address, received) => handleSubtaskRun(deps, agent, address, received),
    ),
    bus.consume(
      subjects.subtaskMessage(agent.name),
      { ...several, onDeadLetter: (message, letter) => handleSubtaskMessageDeadLetter(deps, message, letter) },
      (message) => handleSubtaskMessage(deps, message),
    ),
    bus.consume(
      subjects.batchTimer(agent.name),
      { ...several, onDeadLetter: (timer, letter) => handleTimerDeadLetter(deps, agent, timer, letter) },
      (timer) => handleBatchTimer(deps, agent, timer),
    ),
  ]);
  const fields = { agent: agent.name, tenant: agent.tenant };
  deps.logger.debug(fields, "delegation started");
  const close = async () => deps.logger.debug(fields, "delegation stopped");
  return [...consumers, { close }, ...startSweeping(deps, agent)];
};
