import type { Trace } from "../../../../admin-api/index.ts";
import { ClockTime, durationText } from "../../parts/when.tsx";
import { addressOf, Link } from "../../route.tsx";
import { Deliveries } from "../outcomes/deliveries.tsx";
import { OutcomeMark, outcomeTone, SubtaskMark, subtaskTone } from "../outcomes/outcome-mark.tsx";
import { Hops, Moment, Steps } from "./moment.tsx";

const sourceText = ({ origin: { channel }, asker: { name } }: Trace): string =>
  channel === "scheduled" ? `From a schedule of ${name}` : `From ${name} on ${channel}`;

/** From the intake to the last delivery, in chronological order. */
export const Timeline = ({ trace }: { trace: Trace }) => {
  const { origin, turns, subtasks, hops } = trace;
  return (
    <ol class="timeline" aria-label="Timeline">
      <Moment tone="good" title="Received" at={<ClockTime at={origin.startedAt} />}>
        <p class="faint">{sourceText(trace)}</p>
      </Moment>
      {turns.map((turn) => (
        <TurnMoment
          key={turn.turnId}
          turn={turn}
          isOther={turn.agent !== trace.agent}
          subtasks={subtasks.filter(({ turnId }) => turnId === turn.turnId)}
          hops={hops}
        />
      ))}
    </ol>
  );
};

const TITLES: Readonly<Record<string, string>> = {
  message: "Turn",
  command: "Command",
  task: "Turn of a schedule",
  synthesis: "Synthesis of all results",
  amendment: "Amendment",
  "wake-up": "Woken by a subtask",
  callback: "Answer from another agent",
  late: "Late answer from another agent",
};

interface TurnMomentProps {
  readonly turn: Trace["turns"][number];
  /** The turn belongs to another agent than the one that received the message. */
  readonly isOther: boolean;
  readonly subtasks: Trace["subtasks"];
  /** Those of all turns. */
  readonly hops: Trace["hops"];
}

/** A turn with its tool calls, messages to other agents, subtasks and deliveries. */
const TurnMoment = ({ turn, isOther, subtasks, hops }: TurnMomentProps) => {
  const { turnId, sessionId, agent, trigger, command, openedAt, endedAt, steps, reply } = turn;
  const title = isOther ? `Turn of ${agent}` : (TITLES[trigger] ?? `Turn (${trigger})`);
  const own = hops.filter((hop) => hop.turnId === turnId && hop.subtask === undefined);
  const took = endedAt === undefined ? "" : ` in ${durationText(openedAt, endedAt)}`;
  return (
    <Moment
      tone={outcomeTone(turn)}
      title={command === undefined ? title : `${title} ${command}`}
      state={<OutcomeMark turn={turn} took={took} />}
      at={<ClockTime at={openedAt} />}
    >
      <p class="faint small">
        <code>{turnId}</code> in <Link to={addressOf("sessions", sessionId, { agent })}>session {sessionId}</Link>
        {turn.model !== undefined && ` · answered by ${turn.model}`}
        {turn.suppressed && " · answer withheld, because one answer for all results follows"}
        {turn.degraded && " · raw results, because no answer could be generated"}
      </p>
      <Steps steps={steps} />
      <Hops hops={own} />
      {subtasks.length > 0 && (
        <ol class="timeline inner" aria-label="Subtasks">
          {subtasks.map((subtask) => (
            <SubtaskMoment key={subtask.id} subtask={subtask} hops={hops} />
          ))}
        </ol>
      )}
      {reply && (
        <div class="reply">
          <p class="small faint">
            Reply <code>{reply.replyId}</code>
          </p>
          <Deliveries deliveries={reply.deliveries} />
        </div>
      )}
    </Moment>
  );
};

const SubtaskMoment = ({ subtask, hops }: { subtask: Trace["subtasks"][number]; hops: Trace["hops"] }) => (
  <Moment
    tone={subtaskTone(subtask)}
    title={subtask.name}
    state={<SubtaskMark subtask={subtask} />}
    at={<ClockTime at={subtask.startedAt ?? subtask.createdAt} />}
  >
    <p class="faint small">
      <code>{subtask.id}</code>
      {subtask.parent !== undefined && (
        <>
          {" "}
          of <code>{subtask.parent}</code>
        </>
      )}
      {subtask.note !== undefined && ` · ${subtask.note}`}
    </p>
    <Steps steps={subtask.steps} />
    <Hops hops={hops.filter((hop) => hop.subtask === subtask.id)} />
  </Moment>
);
