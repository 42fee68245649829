import type { Consumer } from "../../contract/bus.ts";
import { subjectsOf } from "../../contract/subjects.ts";
import type { SubtaskParts } from "../../subtasks/index.ts";
import { handleTaskCancelled } from "./cancel-task.ts";
import type { NoticeParts, NoticeRules } from "./handle-notices-due.ts";
import { handleNoticesDue } from "./handle-notices-due.ts";
import type { InboundTurns } from "./inbound-turns.ts";

export interface InboundOptions {
  /** Absent if there is nowhere to tell people anything. */
  readonly notices?: NoticeRules | undefined;
  /** Skills whose answers people are told of too. */
  readonly toldSkills?: readonly string[];
}

export interface InboundParts extends SubtaskParts, NoticeParts {
  readonly inbound: InboundTurns;
}

const HANDLERS_AT_ONCE = 16;

/** Hears what calling agents want besides their messages, which come by the intake. */
export const startInbound = async (
  parts: InboundParts,
  place: { readonly tenant: string; readonly agent: string },
  { notices, toldSkills = [] }: InboundOptions,
): Promise<Consumer[]> => {
  const { bus, inbound } = parts;
  const subjects = subjectsOf(place.tenant);
  await inbound.listenTo(place, { toldSkills: notices && toldSkills });
  const options = { durable: "a2a", concurrency: HANDLERS_AT_ONCE };
  const cancelled = await bus.consume(subjects.a2aTaskCancelled(place.agent), options, (address) =>
    handleTaskCancelled(parts, address),
  );
  if (notices === undefined) return [cancelled];
  const due = await bus.consume(subjects.a2aNotices(place.agent), options, (message) =>
    handleNoticesDue(parts, message, notices),
  );
  return [cancelled, due];
};
