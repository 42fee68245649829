import { z } from "zod";
import type { TurnPlace } from "../budgets/index.ts";
import { runCommand } from "../commands/index.ts";
import { messageOf, RevisionConflict } from "../contract/app-error.ts";
import { subjectsOf } from "../contract/messages/subjects.ts";
import type {
  FromPerson,
  PersonMessage,
  ShownMessage,
  TurnMessage,
  UserMessage,
} from "../contract/messages/user-message.ts";
import {
  ack,
  type Consumer,
  MAX_FAILURES,
  type Outcome,
  RETENTION_MS,
  type Received,
  type Wait,
} from "../contract/ports/bus.ts";
import type { Store } from "../contract/ports/store.ts";
import { collection, keyOf } from "../contract/ports/store.ts";
import { createOrRead } from "../contract/ports/update.ts";
import { signalProgress } from "../lib/index.ts";
import { revokeExposedCodes } from "../people/linking/index.ts";
import { nextIndex } from "../sessions/index.ts";
import { runSpanId } from "../telemetry/index.ts";
import { type Agent, TurnYielded, turnSpan } from "../turns/index.ts";
import { turnIdOf } from "../turns/record/index.ts";
import { answerMessage, requesterOf } from "./answer-message.ts";
import { handleDeadLetter } from "./handle-dead-letter.ts";
import type { IntakeDeps } from "./intake-deps.ts";
import { type OpenedTurn, openTurn } from "./open-turn.ts";
import { noteEdit } from "./resolve-turn.ts";
import { showTyping } from "./run-and-record-turn.ts";

/** The queue of an agent's messages, and the first part of the keys of their dead letters. */
export const INTAKE_DURABLE = "intake";

/** Retry delay after losing the turn to another process; by then it has finished or its lease has expired. */
const TAKEN_OVER_RETRY_MS = 1_000;
/** Retry delay of a message whose person has reached the turn limit, unless the end of a turn wakes it sooner. */
const MAX_LIMIT_WAIT_MS = 30_000;

/** Consumes the messages of an agent, `concurrency` at a time. */
export const startIntake = (deps: IntakeDeps, agent: Agent, concurrency: number): Promise<Consumer> =>
  deps.bus.consume(
    subjectsOf(agent.tenant).userMessage(agent.name),
    {
      durable: INTAKE_DURABLE,
      concurrency,
      onDeadLetter: (message, letter) => handleDeadLetter(deps, agent, message, letter),
    },
    (message, received) => handleUserMessage(deps, agent, message, received),
  );

/** Handles one message, in the order of its conversation. The ack follows once the reply is stored. */
export const handleUserMessage = async (
  deps: IntakeDeps,
  agent: Agent,
  message: UserMessage,
  received: Received,
): Promise<Outcome> => {
  await deps.checkpoint("intake.received");
  switch (message.kind) {
    case "shown":
      return handleShownReply(deps, message);
    case "edit":
      await noteEdit(deps.store, message);
      return ack;
    case "message":
    case "command":
    case "synthetic":
      return takeTurn(deps, agent, message, received);
    default:
      return message satisfies never;
  }
};

const takeTurn = async (deps: IntakeDeps, agent: Agent, message: TurnMessage, received: Received): Promise<Outcome> => {
  if (message.conversation.kind === "shared") await revokeExposedCodes(deps.store, message);
  if (message.kind !== "synthetic") noteSeen(deps, message);
  try {
    const { locale } = agent.defaultsOn(message.conversation.channel);
    const opened = await openTurn(deps, message, locale);
    await deps.checkpoint("turn.opened");
    signalProgress(deps.bus, message);
    const fileWait = hasFiles(message) ? await deps.awaitedFiles.waitFor(message) : undefined;
    if (fileWait !== undefined) showTyping(deps, agent, opened.record);
    const wait = fileWait ?? waitForLimit(deps, agent, message, opened);
    if (wait !== undefined) return { wait };
    const place = countsAsTurn(deps, message)
      ? await agent.budgets?.beginTurn(opened.record, opened.record.turnId)
      : undefined;
    if (place?.mayRun === false) return { wait: waitInLine(deps, agent, message, opened, received, place) };
    try {
      await handle(deps, agent, asEdited(message, opened), opened, received);
    } finally {
      place?.leave();
    }
    signalProgress(deps.bus, message);
    return ack;
  } catch (error) {
    if (error instanceof TurnYielded || error instanceof RevisionConflict) {
      const { traceId } = message;
      deps.logger.info(
        { traceId, turnId: turnIdOf(message), reason: messageOf(error) },
        "turn taken over by another run, retrying",
      );
      return { retryInMs: TAKEN_OVER_RETRY_MS };
    }
    throw error;
  }
};

const hasFiles = (message: TurnMessage): message is PersonMessage =>
  message.kind === "message" && message.attachments.some(({ file }) => file !== undefined);

/** In the background, once a day, because the message does not depend on it. */
const noteSeen = ({ lastSeen, background }: IntakeDeps, { tenant, conversation, account }: FromPerson): void => {
  const address = { tenant, channel: conversation.channel, accountId: account.id };
  if (!lastSeen.isDue(address)) return;
  background.start(`record last seen ${address.channel}/${address.accountId}`, () => lastSeen.record(address));
};

/** Keeps one person from using all turns that an agent can run in a process. Background work has its own limits. */
const waitForLimit = (
  { turns }: IntakeDeps,
  { name: agent, maxTurnsPerPerson }: Agent,
  message: TurnMessage,
  { record }: OpenedTurn,
): Wait | undefined => {
  const { personId } = record.audience;
  if (message.kind !== "message" || personId === null) return undefined;
  const person = { agent, personId };
  if (turns.ofPerson(person) < maxTurnsPerPerson) return undefined;
  return {
    wokenBy: (wake) => turns.onRoom(person, maxTurnsPerPerson, wake),
    atMostMs: MAX_LIMIT_WAIT_MS,
  };
};

/** Whether the message counts as a turn at once (R2): the turn that waits for it may hold the last place. */
const countsAsTurn = ({ features }: IntakeDeps, message: TurnMessage): boolean =>
  message.kind !== "command" && requesterOf(features, message)?.isAwaitedByTurn !== true;

/** A person whose message waits for longer is notified. */
const NOTICE_AFTER_MS = 5_000;

const waitInLine = (
  { clock }: IntakeDeps,
  { budgets }: Agent,
  { kind }: TurnMessage,
  { record }: OpenedTurn,
  { publishedAt }: Received,
  { account, onRoom }: Extract<TurnPlace, { mayRun: false }>,
): Wait => {
  const noticeInMs = kind === "message" ? Math.min(NOTICE_AFTER_MS, publishedAt + NOTICE_AFTER_MS - clock.now()) : 0;
  if (kind === "message" && noticeInMs <= 0) budgets?.notifyOfWait(record, record.turnId, account);
  return { wokenBy: onRoom, atMostMs: noticeInMs > 0 ? noticeInMs : MAX_LIMIT_WAIT_MS };
};

const asEdited = (message: TurnMessage, { record: { editedText } }: OpenedTurn): TurnMessage =>
  editedText === undefined ? message : { ...message, text: editedText };

const handle = async (
  deps: IntakeDeps,
  agent: Agent,
  message: TurnMessage,
  opened: OpenedTurn,
  { attempt: run, failures }: Received,
): Promise<void> => {
  const { traceId, turnId } = opened.record;
  if (message.kind === "command") {
    await runCommand(deps, agent, message, opened);
    deps.meter.count("commands_total", { agent: agent.name });
    return;
  }
  const startedAt = deps.clock.monotonic();
  const isOver = deps.turns.begin(opened.record, agent.name);
  const number = { number: run, isLast: failures + 1 >= MAX_FAILURES };
  const entry = await answerMessage(deps, agent, message, opened, number).finally(isOver);
  if (entry === undefined) {
    deps.logger.debug({ traceId, turnId }, "turn was already complete or obsolete");
    return;
  }
  const { outcome, degraded = false } = entry;
  if (message.kind === "synthetic" && message.synthetic.type !== "task") {
    const { type } = message.synthetic;
    deps.meter.count("continuations_total", { agent: agent.name, type, outcome: degraded ? "degraded" : outcome });
  }
  const seconds = (deps.clock.monotonic() - startedAt) / 1_000;
  deps.meter.count("turns_total", { agent: agent.name, outcome });
  deps.meter.observe("turn_seconds", seconds, { agent: agent.name });
  deps.tracer?.record(
    turnSpan(agent, opened.record, entry, { parentId: runSpanId(message, run), endedAt: deps.clock.now() }),
  );
  deps.logger.info(
    { traceId, turnId, tenant: agent.tenant, agent: agent.name, outcome, run, seenBefore: opened.seenBefore, seconds },
    "turn ended",
  );
};

/** The first position of the report: a duplicate, also after `new`, finds its entry there. */
const Position = z.looseObject({ sessionId: z.string(), index: z.number().int().nonnegative() });
type Position = z.infer<typeof Position>;

const positions = collection("noted", Position, { ttlMs: RETENTION_MS });

/** Adds a proactive message from another conversation to the history of the session that shows it (O15). */
const handleShownReply = async (
  { store, history, sessions, checkpoint }: IntakeDeps,
  message: ShownMessage,
): Promise<Outcome> => {
  const { replyId, markdown, origin, files, at } = message.shown;
  const entry = { kind: "said", replyId, at, markdown, origin, ...(files !== undefined && { files }) } as const;
  const window = await sessions.window(message);
  const position = await firstPosition(store, message, { sessionId: window.sessionId, index: nextIndex(window) });
  await checkpoint("posted.located");
  await history.append(position.sessionId, position.index, entry);
  return ack;
};

const firstPosition = async (
  store: Store,
  { tenant, agent, id }: ShownMessage,
  position: Position,
): Promise<Position> => {
  return (await createOrRead(store, keyOf(positions, tenant, agent, id), position)).value;
};
