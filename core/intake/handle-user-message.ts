import { runCommand } from "../commands/index.ts";
import { messageOf, RevisionConflict } from "../contract/app-error.ts";
import type { Outcome, Received, Wait } from "../contract/bus.ts";
import { ack, MAX_FAILURES } from "../contract/bus.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { revokeExposedCodes } from "../people/linking/index.ts";
import { runSpanId } from "../telemetry/index.ts";
import { type Agent, signalProgress, TurnYielded, turnIdOf, turnSpan } from "../turns/index.ts";
import { answerMessage } from "./answer-message.ts";
import { handleShownReply } from "./handle-shown-reply.ts";
import type { IntakeParts } from "./intake-parts.ts";
import type { OpenedTurn } from "./open-turn.ts";
import { openTurn } from "./open-turn.ts";

/** The queue of an agent's messages, and the first part of the keys of their dead letters. */
export const INTAKE_DURABLE = "intake";

/** Retry delay after losing the turn to another process; by then it has finished or its lease has expired. */
const TAKEN_OVER_PAUSE_MS = 1_000;
/** How soon a message is looked at again whose person has enough turns running, should nothing wake it. */
const PERSON_BUSY_AT_MOST_MS = 30_000;

/** One message of a person, in order with the others of its conversation: acknowledged once its reply is stored. */
export const handleUserMessage = async (
  parts: IntakeParts,
  agent: Agent,
  message: UserMessage,
  received: Received,
): Promise<Outcome> => {
  await parts.checkpoint("intake.received");
  if (message.shown !== undefined) return handleShownReply(parts, message, message.shown);
  await revokeExposedCodes(parts.store, message);
  try {
    const opened = await openTurn(parts, message);
    await parts.checkpoint("turn.opened");
    signalProgress(parts.bus, message);
    const wait = untilThereIsRoom(parts, agent, message, opened);
    if (wait !== undefined) return { wait };
    await handle(parts, agent, asEdited(message, opened), opened, received);
    signalProgress(parts.bus, message);
    return ack;
  } catch (error) {
    if (error instanceof TurnYielded || error instanceof RevisionConflict) {
      const { traceId } = message;
      parts.logger.info({ traceId, turnId: turnIdOf(message), why: messageOf(error) }, "turn left to another run");
      return { retryInMs: TAKEN_OVER_PAUSE_MS };
    }
    throw error;
  }
};

/** Keeps one person from using up all turns that an agent can run in a process. Background work has limits of its own. */
const untilThereIsRoom = (
  { turns }: IntakeParts,
  { name: agent, maxTurnsPerPerson }: Agent,
  { command, synthetic }: UserMessage,
  { record }: OpenedTurn,
): Wait | undefined => {
  const { personId } = record.audience;
  if (command !== undefined || synthetic !== undefined || personId === null) return undefined;
  const person = { agent, personId };
  if (turns.ofPerson(person) < maxTurnsPerPerson) return undefined;
  return {
    wokenBy: (wake) => turns.onRoom(person, maxTurnsPerPerson, wake),
    atMostMs: PERSON_BUSY_AT_MOST_MS,
  };
};

const asEdited = (message: UserMessage, { record: { editedText } }: OpenedTurn): UserMessage =>
  editedText === undefined ? message : { ...message, text: editedText };

const handle = async (
  parts: IntakeParts,
  agent: Agent,
  message: UserMessage,
  opened: OpenedTurn,
  { attempt: run, failures }: Received,
): Promise<void> => {
  const { traceId, turnId } = opened.record;
  if (message.command !== undefined) {
    await runCommand(parts, message, message.command, opened);
    parts.meter.count("commands_total", { agent: agent.name });
    return;
  }
  const startedAt = parts.clock.monotonic();
  const isOver = parts.turns.begin(opened.record, agent.name);
  const number = { number: run, isLast: failures + 1 >= MAX_FAILURES };
  const entry = await answerMessage(parts, agent, message, opened, number).finally(() => {
    isOver();
    parts.owners.release(turnId);
  });
  if (entry === undefined) {
    parts.logger.debug({ traceId, turnId }, "nothing left to do");
    return;
  }
  const { outcome, degraded = false } = entry;
  if (message.synthetic !== undefined && message.synthetic.type !== "task") {
    const type = message.synthetic.type;
    parts.meter.count("continuations_total", { agent: agent.name, type, outcome: degraded ? "degraded" : outcome });
  }
  const seconds = (parts.clock.monotonic() - startedAt) / 1_000;
  parts.meter.count("turns_total", { agent: agent.name, outcome });
  parts.meter.observe("turn_seconds", seconds, { agent: agent.name });
  parts.tracer?.record(
    turnSpan(agent, opened.record, entry, { parentId: runSpanId(message, run), endedAt: parts.clock.now() }),
  );
  parts.logger.info(
    { traceId, turnId, tenant: agent.tenant, agent: agent.name, outcome, run, seenBefore: opened.seenBefore, seconds },
    "turn ended",
  );
};
