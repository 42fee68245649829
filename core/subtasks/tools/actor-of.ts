import type { ToolContext } from "../../turns/tool.ts";
import type { Actor } from "../cancel-subtask.ts";

/** A subtask has a say in its own subtasks only; a session in all that is done for its person (S6). */
export const actorOf = ({ standing, asker }: ToolContext): Actor => ({
  ownerId: standing.owner.ownerId,
  personId: standing.depth === 0 ? asker.personId : "",
});
