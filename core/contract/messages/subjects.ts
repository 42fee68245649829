import { subjectFamily } from "../ports/subject.ts";
import {
  BatchTimer,
  InboundTaskAddress,
  NoticesDue,
  PeerCallAddress,
  PushDue,
  ScheduleDue,
  SubtaskAddress,
} from "./addresses.ts";
import { AgentReply } from "./agent-reply.ts";
import { DeliveryRequest, DigestDue } from "./delivery-request.ts";
import {
  ChannelChanged,
  IntakeLoad,
  SubtaskNews,
  TraceChanged,
  TurnsAsked,
  TurnsStopped,
  TurnsTold,
  UserSignal,
} from "./signals.ts";
import { Subtask } from "./subtask.ts";
import { LateA2ANotification, SubtaskMessage } from "./subtask-message.ts";
import { UserMessage } from "./user-message.ts";

/** Every subject there is, and the only place where one is spelled. Of an agent; deliveries and digests of a channel. */
export const subjectsOf = (tenant: string): Subjects => {
  const known = made.get(tenant) ?? spell(tenant);
  made.set(tenant, known);
  return known;
};

type Subjects = ReturnType<typeof spell>;

const made = new Map<string, Subjects>();

const spell = (tenant: string) => ({
  /** key: conversation. Gateway inbox → core intake. */
  userMessage: subjectFamily(tenant, "user.message", UserMessage),
  /** Not stored. How much waits for an answer: every core process → all gateways. */
  intakeLoad: subjectFamily(tenant, "intake.load", IntakeLoad),
  /** key: origin conversation. Core → every channel's relay, each with a durable of its own. */
  userResponse: subjectFamily(tenant, "user.response", AgentReply),
  /** key: target conversation. A channel's relay → the gateway that may send there. */
  delivery: subjectFamily(tenant, "delivery", DeliveryRequest),
  /** key: itself. Held by the bus until what is kept back for a conversation is due; then it joins the queue above. */
  digestDue: subjectFamily(tenant, "digest.due", DigestDue),
  /** key: subtask, so that those of one owner run side by side. Core → core. */
  subtaskRun: subjectFamily(tenant, "subtask.run", SubtaskAddress),
  /** key: owner. A subtask → its owner. */
  subtaskMessage: subjectFamily(tenant, "subtask.message", SubtaskMessage),
  /** key: batch. Held by the bus until the batch's next moment. */
  batchTimer: subjectFamily(tenant, "batch.timer", BatchTimer),
  /** Not stored. A subtask's record has changed: for those who then look at it. */
  subtaskNews: subjectFamily(tenant, "subtask.news", SubtaskNews),
  /** Not stored. Every change of a subtask, as a whole (S4). */
  subtaskChanged: subjectFamily(tenant, "subtask.changed", Subtask, { seldomHeard: true }),
  /** Not stored. Its end, however it ended (S4). */
  subtaskEnded: subjectFamily(tenant, "subtask.ended", Subtask, { seldomHeard: true }),
  /** key: call. A message to another agent: sent, then held by the bus until it is looked at again. */
  peerCall: subjectFamily(tenant, "a2a.call", PeerCallAddress),
  /** key: call. A hint that a remote agent has got on with it. Gateway → core. */
  peerEvent: subjectFamily(tenant, "a2a.event", PeerCallAddress),
  /** Not stored. A call has changed. */
  peerCallChanged: subjectFamily(tenant, "a2a.call-changed", PeerCallAddress),
  /** key: session. What came after whoever asked had ended. */
  lateNotification: subjectFamily(tenant, "a2a.late", LateA2ANotification),
  /** key: schedule. Every core process that sees its time come → one of them. */
  scheduleDue: subjectFamily(tenant, "schedule.due", ScheduleDue),
  /** Not stored. A schedule has a new due time → all core processes. */
  scheduleDueAdded: subjectFamily(tenant, "schedule.added", ScheduleDue),
  /** Not stored. The task of a calling agent has changed → all gateways, and whoever works on it. */
  a2aTaskChanged: subjectFamily(tenant, "a2a.changed", InboundTaskAddress),
  /** key: task. A caller no longer wants it: gateway → core. */
  a2aTaskCancelled: subjectFamily(tenant, "a2a.cancelled", InboundTaskAddress),
  /** key: webhook. Core or gateway → a gateway. */
  a2aPush: subjectFamily(tenant, "a2a.push", PushDue),
  /** key: agent. Held by the bus until the conversation is quiet. Core → core. */
  a2aNotices: subjectFamily(tenant, "a2a.notices", NoticesDue),
  /** Not stored. An operator has stopped or started a channel → all gateways. */
  channelChanged: subjectFamily(tenant, "channel.changed", ChannelChanged),
  /** Not stored. What is every process at? */
  turnsAsked: subjectFamily(tenant, "turns.asked", TurnsAsked),
  turnsTold: subjectFamily(tenant, "turns.told", TurnsTold),
  /** Not stored. Nobody wants these answers any more. */
  turnsStopped: subjectFamily(tenant, "turns.stopped", TurnsStopped),
  /** Not stored. A piece of work has got on: core and gateways → the gateway that an operator watches it on. */
  traceChanged: subjectFamily(tenant, "trace.changed", TraceChanged, { seldomHeard: true }),
  /** Not stored. Deltas, typing, new log entries → all gateways. */
  userSignal: subjectFamily(tenant, "user.signal", UserSignal),
});
