import { subjectFamily } from "../ports/subject.ts";
import {
  AgentTaskAddress,
  ApprovalAddress,
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
import { FileFetch } from "./file-fetch.ts";
import {
  BlocksChanged,
  ChannelChanged,
  FileReceived,
  IntakeLoad,
  RatesTaken,
  SubtaskUpdate,
  TraceChanged,
  TurnsAsked,
  TurnsReported,
  TurnsStopped,
  UserSignal,
} from "./signals.ts";
import { LateA2ANotification, Subtask, SubtaskMessage } from "./subtask.ts";
import { UserMessage } from "./user-message.ts";

/** All subjects, and the only place that spells them. Each belongs to an agent; deliveries and digests to a channel. */
export const subjectsOf = (tenant: string): Subjects => {
  const subjects = byTenant.get(tenant) ?? createSubjects(tenant);
  byTenant.set(tenant, subjects);
  return subjects;
};

type Subjects = ReturnType<typeof createSubjects>;

const byTenant = new Map<string, Subjects>();

const createSubjects = (tenant: string) => ({
  /** key: conversation. Gateway inbox → core intake. */
  userMessage: subjectFamily(tenant, "user.message", UserMessage),
  /** Signal. The number of waiting messages: every core process → all gateways. */
  intakeLoad: subjectFamily(tenant, "intake.load", IntakeLoad),
  /** key: origin conversation. Core → every channel's relay, each with a durable of its own. */
  userResponse: subjectFamily(tenant, "user.response", AgentReply),
  /** key: target conversation. A channel's relay → the gateway that may send there. */
  delivery: subjectFamily(tenant, "delivery", DeliveryRequest),
  /** key: account. A channel's inbox → the gateway that has the channel: fetches a file that a person has sent. */
  fileFetch: subjectFamily(tenant, "file.fetch", FileFetch),
  /** Signal. A file was fetched, or cannot be: a gateway → the core process whose turn waits for it. */
  fileReceived: subjectFamily(tenant, "file.received", FileReceived),
  /** key: its id. Retried until the held replies of a conversation are due; then a delivery request is queued. */
  digestDue: subjectFamily(tenant, "digest.due", DigestDue),
  /** key: subtask, so that the subtasks of one owner run in parallel. Core → core. */
  subtaskRun: subjectFamily(tenant, "subtask.run", SubtaskAddress),
  /** key: owner. A subtask → its owner. */
  subtaskMessage: subjectFamily(tenant, "subtask.message", SubtaskMessage),
  /** key: batch. Retried until the next deadline of the batch. */
  batchTimer: subjectFamily(tenant, "batch.timer", BatchTimer),
  /** Signal. The record of a subtask has changed; its watchers read it again. */
  subtaskUpdate: subjectFamily(tenant, "subtask.news", SubtaskUpdate),
  /** Signal. Every change of a subtask, with the whole record (S4). */
  subtaskChanged: subjectFamily(tenant, "subtask.changed", Subtask, { rarelyObserved: true }),
  /** Signal. The end of a subtask, successful or not (S4). */
  subtaskEnded: subjectFamily(tenant, "subtask.ended", Subtask, { rarelyObserved: true }),
  /** key: call. A message to another agent: the handler sends it, then retries until the call has ended. */
  peerCall: subjectFamily(tenant, "a2a.call", PeerCallAddress),
  /** key: call. A hint that a remote agent has made progress. Gateway → core. */
  peerEvent: subjectFamily(tenant, "a2a.event", PeerCallAddress),
  /** Signal. The record of a call has changed. */
  peerCallChanged: subjectFamily(tenant, "a2a.call-changed", PeerCallAddress),
  /** key: session. An answer that arrived after the asking subtask had ended. */
  lateNotification: subjectFamily(tenant, "a2a.late", LateA2ANotification),
  /** key: schedule. Published by every core process at the due time; one of them handles it. */
  scheduleDue: subjectFamily(tenant, "schedule.due", ScheduleDue),
  /** Signal. A schedule has a new due time → all core processes. */
  scheduleDueAdded: subjectFamily(tenant, "schedule.added", ScheduleDue),
  /** Signal. The task of a calling agent has changed → all gateways, and the process that works on it. */
  a2aTaskChanged: subjectFamily(tenant, "a2a.changed", InboundTaskAddress),
  /** key: task. The caller has cancelled it: gateway → core. */
  a2aTaskCancelled: subjectFamily(tenant, "a2a.cancelled", InboundTaskAddress),
  /** key: webhook. Core or gateway → a gateway. */
  a2aPush: subjectFamily(tenant, "a2a.push", PushDue),
  /** key: agent. Retried until the conversation is idle. Core → core. */
  a2aNotices: subjectFamily(tenant, "a2a.notices", NoticesDue),
  /** key: approval. Retried until the request to approve a call expires. Core → core. */
  approvalDue: subjectFamily(tenant, "approval.due", ApprovalAddress),
  /** key: approval. A request was decided: the handler runs the call, if approved, and reports the outcome. */
  approvalDecided: subjectFamily(tenant, "approval.decided", ApprovalAddress),
  /** key: task. Retried until an agent elsewhere has ended the task of a turn, or has cancelled it. Core → core. */
  agentTask: subjectFamily(tenant, "agent.task", AgentTaskAddress),
  /** Signal. An operator has stopped or started a channel → all gateways. */
  channelChanged: subjectFamily(tenant, "channel.changed", ChannelChanged),
  /** Signal. An operator has blocked or unblocked an account: a gateway → all processes. */
  blocksChanged: subjectFamily(tenant, "account.blocked", BlocksChanged),
  /** Signal. Use of rate limits that gateways share: a gateway → all gateways. */
  ratesTaken: subjectFamily(tenant, "rates.taken", RatesTaken),
  /** Signal. Requests the running turns of every process, which answer with `turnsReported`. */
  turnsAsked: subjectFamily(tenant, "turns.asked", TurnsAsked),
  turnsReported: subjectFamily(tenant, "turns.told", TurnsReported),
  /** Signal. Cancels these turns. */
  turnsStopped: subjectFamily(tenant, "turns.stopped", TurnsStopped),
  /** Signal. A piece of work has made progress: core and gateways → the gateway whose console shows it. */
  traceChanged: subjectFamily(tenant, "trace.changed", TraceChanged, { rarelyObserved: true }),
  /** Signal. Deltas, typing, new log entries → all gateways. */
  userSignal: subjectFamily(tenant, "user.signal", UserSignal),
});
