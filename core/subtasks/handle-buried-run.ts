import type { DeadLetter } from "../contract/dead-letter.ts";
import type { Agent } from "../turns/index.ts";
import { cancelChildren } from "./cancel-subtask.ts";
import { endSubtask } from "./change-subtask.ts";
import { lastResort } from "./last-resort.ts";
import { reportEnd } from "./report-end.ts";
import type { SubtaskParts } from "./subtask-parts.ts";

/**
 * A subtask that could not be run, or whose run killed its process every time: it has failed, and its owner hears so
 * at once (S7). A run is published with its subtask's id, so the letter names it even if the message is garbled.
 */
export const handleBuriedRun = (parts: SubtaskParts, agent: Agent, letter: DeadLetter): Promise<void> =>
  lastResort(parts.logger, letter, async () => {
    const address = { tenant: agent.tenant, agent: agent.name, id: letter.id };
    const error = `It was given up after ${letter.attempts} tries: each time something broke off the work.`;
    const ended = await endSubtask(parts, address, {
      status: "failed",
      result: { status: "failed", output: "", error },
    });
    if (ended === undefined) return;
    await reportEnd(parts, ended);
    await cancelChildren(parts, ended);
  });
