import { AgentReply } from "./agent-reply.ts";
import { DeliveryRequest, DigestDue } from "./delivery-request.ts";
import { InboundTaskAddress, NoticesDue, PushDue } from "./inbound-task.ts";
import { LateA2ANotification } from "./late-notification.ts";
import { PeerCallAddress } from "./peer-call-address.ts";
import { TurnsAsked, TurnsTold } from "./running-turn.ts";
import { ScheduleDue } from "./schedule.ts";
import { subject } from "./subject.ts";
import { Subtask } from "./subtask.ts";
import { BatchTimer, SubtaskAddress, SubtaskMessage } from "./subtask-message.ts";
import { UserMessage } from "./user-message.ts";
import { UserSignal } from "./user-signal.ts";

/** Every subject there is, and the only place where one is spelled. */
export const subjectsOf = (tenant: string) => ({
  /** key: conversation. Gateway inbox → core intake. */
  userMessage: (agent: string) => subject(tenant, "user.message", UserMessage, agent),
  /** key: origin conversation. Core → every channel's relay, each with a durable of its own. */
  userResponse: (agent: string) => subject(tenant, "user.response", AgentReply, agent),
  /** key: target conversation. A channel's relay → the gateway that may send there. */
  delivery: (channel: string) => subject(tenant, "delivery", DeliveryRequest, channel),
  /** key: itself. Held by the bus until what is kept back for a conversation is due; then it joins the queue above. */
  digestDue: (channel: string) => subject(tenant, "digest.due", DigestDue, channel),
  /** key: subtask, so that those of one owner run side by side. Core → core. */
  subtaskRun: (agent: string) => subject(tenant, "subtask.run", SubtaskAddress, agent),
  /** key: owner. A subtask → its owner. */
  subtaskMessage: (agent: string) => subject(tenant, "subtask.message", SubtaskMessage, agent),
  /** key: batch. Held by the bus until the batch's next moment. */
  batchTimer: (agent: string) => subject(tenant, "batch.timer", BatchTimer, agent),
  /** Not stored. Every change of a subtask (S4). */
  subtaskChanged: (agent: string) => subject(tenant, "subtask.changed", Subtask, agent),
  /** Not stored. Its end, however it ended (S4). */
  subtaskEnded: (agent: string) => subject(tenant, "subtask.ended", Subtask, agent),
  /** key: call. A message to another agent: sent, then held by the bus until it is looked at again. */
  peerCall: (agent: string) => subject(tenant, "a2a.call", PeerCallAddress, agent),
  /** key: call. A hint that a remote agent has got on with it. Gateway → core. */
  peerEvent: (agent: string) => subject(tenant, "a2a.event", PeerCallAddress, agent),
  /** Not stored. A call has changed. */
  peerCallChanged: (agent: string) => subject(tenant, "a2a.call-changed", PeerCallAddress, agent),
  /** key: session. What came after whoever asked had ended. */
  lateNotification: (agent: string) => subject(tenant, "a2a.late", LateA2ANotification, agent),
  /** key: schedule. Every core process that sees its time come → one of them. */
  scheduleDue: (agent: string) => subject(tenant, "schedule.due", ScheduleDue, agent),
  /** Not stored. A schedule has a new due time → all core processes. */
  scheduleDueAdded: (agent: string) => subject(tenant, "schedule.added", ScheduleDue, agent),
  /** Not stored. The task of a calling agent has changed → all gateways, and whoever works on it. */
  a2aTaskChanged: (agent: string) => subject(tenant, "a2a.changed", InboundTaskAddress, agent),
  /** key: task. A caller no longer wants it: gateway → core. */
  a2aTaskCancelled: (agent: string) => subject(tenant, "a2a.cancelled", InboundTaskAddress, agent),
  /** key: webhook. Core or gateway → a gateway. */
  a2aPush: (agent: string) => subject(tenant, "a2a.push", PushDue, agent),
  /** key: agent. Held by the bus until the conversation is quiet. Core → core. */
  a2aNotices: (agent: string) => subject(tenant, "a2a.notices", NoticesDue, agent),
  /** Not stored. What is every process at? */
  turnsAsked: (agent: string) => subject(tenant, "turns.asked", TurnsAsked, agent),
  turnsTold: (agent: string) => subject(tenant, "turns.told", TurnsTold, agent),
  /** Not stored. Deltas, typing, new log entries → all gateways. */
  userSignal: (agent: string) => subject(tenant, "user.signal", UserSignal, agent),
});
