import { inboundRequester } from "./a2a/inbound/inbound-requester.ts";
import type { InboundTurns } from "./a2a/inbound/inbound-turns.ts";
import { lateAnswerHook, localCaller, peerTurns } from "./a2a/peer-turns.ts";
import type { ScheduleParts } from "./schedules/schedule-parts.ts";
import { scheduleHook } from "./schedules/schedule-turns.ts";
import type { SessionHistory } from "./sessions/session-history.ts";
import { delegationHook, subtaskTurns } from "./subtasks/delegation-turns.ts";
import type { SubtaskParts } from "./subtasks/subtask-parts.ts";
import type { TurnFeatures } from "./turns/turn-source.ts";

interface Deps extends SubtaskParts, ScheduleParts {
  readonly history: SessionHistory;
  readonly inbound: InboundTurns;
}

/** Every feature that starts turns, receives their results or takes part in them. A new one is a line here. */
export const turnFeatures = (deps: Deps): TurnFeatures => ({
  sources: [subtaskTurns(deps), ...peerTurns(deps)],
  requesters: [inboundRequester(deps), localCaller(deps)],
  hooks: [lateAnswerHook(deps), delegationHook(deps), scheduleHook(deps)],
});
