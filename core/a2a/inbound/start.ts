import type { AgentRef } from "../../contract/messages/addresses.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import type { Consumer } from "../../contract/ports/bus.ts";
import type { SubtaskDeps } from "../../subtasks/index.ts";
import { handleTaskCancelled } from "./end-task.ts";
import type { InboundTurns } from "./inbound-turns.ts";
import { handleNoticesDue, type NoticeDeps, type NoticeRules } from "./notices.ts";

export interface InboundOptions {
  /** Absent if the agent has no place for notices. */
  readonly notices?: NoticeRules | undefined;
  /** Skills whose answers are also posted to people. */
  readonly noticeSkills?: readonly string[];
}

interface InboundDeps extends SubtaskDeps, NoticeDeps {
  readonly inbound: InboundTurns;
}

const MAX_CONCURRENT_HANDLERS = 16;

/** Consumes cancellations and due notices of calling agents; their messages arrive through the intake. */
export const startInbound = async (
  deps: InboundDeps,
  self: AgentRef,
  { notices, noticeSkills = [] }: InboundOptions,
): Promise<Consumer[]> => {
  const { bus, inbound } = deps;
  const subjects = subjectsOf(self.tenant);
  await inbound.listenTo(self, { noticeSkills, notices });
  const options = { durable: "a2a", concurrency: MAX_CONCURRENT_HANDLERS };
  const cancelled = await bus.consume(subjects.a2aTaskCancelled(self.agent), options, (address) =>
    handleTaskCancelled(deps, address),
  );
  if (notices === undefined) return [cancelled];
  const due = await bus.consume(subjects.a2aNotices(self.agent), options, (message) =>
    handleNoticesDue(deps, message, notices),
  );
  return [cancelled, due];
};
