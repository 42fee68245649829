import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { userMessage } from "../core-under-test.ts";
import type { PlaceOptions } from "./backbone-place.ts";
import { MortalCore } from "./mortal-core.ts";

/** "later 7": makes a schedule of that number; its run says so. */
const script = ({ lastUserText, toolOutputs }: ModelRequest) => {
  const number = lastUserText.split(" ").at(-1);
  if (lastUserText.startsWith("Scheduled task")) return says(`it is time for ${number}`);
  if (toolOutputs.length > 0) return says(`scheduled ${number}`);
  const task = { description: `number ${number}`, prompt: `say ${number}`, when: "in 1 s" };
  return calls([{ name: "schedule_task", arguments: task }]);
};

/** A process that starts on a busy machine takes its time. */

/** From the making of a schedule to the end of its run. */
const deaths: readonly (readonly [at: string, nth: number])[] = [
  ["schedule.indexed", 1],
  ["schedule.recorded", 1],
  ["schedule.begun", 1],
  ["schedule.changed", 1],
  ["schedule.counted", 1],
];

const conversation = userMessage("", "").conversation;
const isRun = ({ origin }: AgentReply) => origin?.channel === "scheduled";

/** A `kill -9` at every step of a schedule: it is made once, and its time has one run (P1). */
export const scheduleDeaths = (kind: PlaceOptions["kind"]): void => {
  describe(`given a core on ${kind} that dies while it keeps time`, () => {
    let core: MortalCore;
    beforeAll(async () => {
      core = await MortalCore.deploy(kind, script);
    });
    afterAll(() => core.dispose());

    it.each(deaths)("when it dies at %s, then the next one keeps the time", async (at, nth) => {
      const number = deaths.findIndex(([name]) => name === at);
      const dying = await core.alive();
      await dying.dieAt(at, nth);
      await core.receive(userMessage(`later ${number}`, `later ${number}`));
      await dying.exited;
      await core.alive();
      const isMine = ({ markdown }: AgentReply) => markdown === `it is time for ${number}`;
      await core.heard.until((replies) => replies.some(isMine));
    });

    it("when all is over, then each has one run", async () => {
      const runs = (await core.publishedReplies([conversation])).filter(isRun).map(({ markdown }) => markdown);
      expect(runs.sort()).toEqual([...deaths.keys()].map((number) => `it is time for ${number}`));
    });
  });
};
