import { isoTime } from "../contract/clock.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { fitEntry } from "../sessions/fit-entry.ts";
import type { TurnEntry } from "../sessions/history-entry.ts";
import { nextIndex } from "../sessions/session-window.ts";
import type { Agent } from "../turns/agent.ts";
import { Journal } from "../turns/journal.ts";
import { LinkedAbort } from "../turns/linked-abort.ts";
import { runTurn } from "../turns/run-turn.ts";
import type { TurnRecord } from "../turns/turn-record.ts";
import { TurnTimedOut } from "../turns/turn-timed-out.ts";
import { TurnYielded } from "../turns/turn-yielded.ts";
import type { IntakeParts } from "./intake-parts.ts";
import { shrinkWindow } from "./make-room.ts";
import type { OpenedTurn } from "./open-turn.ts";
import { shownText } from "./shown-text.ts";

/** Far more tries than one run can make, so that attempts grow from run to run. */
const ATTEMPTS_PER_RUN = 1_000;

/** Runs the turn and writes its history entry, which is also the journal of its last response. */
export const endTurn = async (
  parts: IntakeParts,
  agent: Agent,
  message: UserMessage,
  { record, seenBefore, window }: OpenedTurn,
  run: number,
): Promise<TurnEntry> => {
  const { history, clock, turnDeadlineMs } = parts;
  const { turnId, sessionId, traceId } = record;
  const text = shownText(message);
  const over = new LinkedAbort(parts.stopping);
  const timer = clock.after(turnDeadlineMs, () => over.abort(new TurnTimedOut(turnDeadlineMs)));
  let attempt = run * ATTEMPTS_PER_RUN;
  try {
    showTyping(parts, agent, record);
    const end = await runTurn(parts, {
      agent,
      record,
      text,
      window,
      journal: new Journal(parts.store, turnId, !seenBefore),
      // Made when it is needed: a child costs as much as a line, and most turns log nothing.
      get logger() {
        return parts.logger.child({ traceId, turnId, tenant: agent.tenant, agent: agent.name });
      },
      signal: over.signal,
      nextAttempt: () => attempt++,
      shrink: (window) => shrinkWindow(parts, agent, window, over.signal),
    });
    const entry = fitEntry({
      kind: "turn",
      turnId,
      at: isoTime(clock.now()),
      text,
      ...end,
      messages: [...end.messages],
    });
    if (!(await history.append(sessionId, nextIndex(window), entry))) {
      throw new TurnYielded("another process has taken the turn over");
    }
    await parts.checkpoint("model.journaled");
    return entry;
  } finally {
    timer.cancel();
    over.release();
  }
};

const showTyping = ({ bus }: IntakeParts, { tenant, name }: Agent, { audience }: TurnRecord): void =>
  bus.signal(subjectsOf(tenant).userSignal(name), { type: "typing", conversation: audience.conversation });
