import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { userMessage } from "../core-under-test.ts";
import type { DataOptions } from "./backbone-data.ts";
import { CrashingCore } from "./crashing-core.ts";

/** "later 7": creates a schedule of that number; its run answers with the number. */
const script = ({ lastUserText, toolOutputs }: ModelRequest) => {
  const number = lastUserText.split(" ").at(-1);
  if (lastUserText.startsWith("Scheduled task")) return says(`it is time for ${number}`);
  if (toolOutputs.length > 0) return says(`scheduled ${number}`);
  const task = { description: `number ${number}`, prompt: `say ${number}`, when: "in 1 s" };
  return calls([{ name: "schedule_task", arguments: task }]);
};

/** The checkpoints from the creation of a schedule to the end of its run. */
const crashes: readonly (readonly [at: string, nth: number])[] = [
  ["schedule.indexed", 1],
  ["schedule.recorded", 1],
  ["schedule.begun", 1],
  ["schedule.changed", 1],
  ["schedule.counted", 1],
];

const conversation = userMessage("", "").conversation;
const isRun = ({ origin }: AgentReply) => origin?.channel === "scheduled";

/** A `kill -9` at every step of a schedule: it is created once, and its due time has one run (P1). */
export const scheduleCrashes = (kind: DataOptions["kind"]): void => {
  describe(`given a core on ${kind} that crashes while it handles schedules`, () => {
    let core: CrashingCore;
    beforeAll(async () => {
      core = await CrashingCore.deploy(kind, script);
    });
    afterAll(() => core.dispose());

    it.each(crashes)("when it crashes at %s, then the next process runs the schedule", async (at, nth) => {
      const number = crashes.findIndex(([name]) => name === at);
      const crashing = await core.running();
      await crashing.crashAt(at, nth);
      await core.receive(userMessage(`later ${number}`, `later ${number}`));
      await crashing.exited;
      await core.running();
      const isOfRun = ({ markdown }: AgentReply) => markdown === `it is time for ${number}`;
      await core.received.until((replies) => replies.some(isOfRun));
    });

    it("when all have run, then each schedule has one run", async () => {
      const runs = (await core.publishedReplies([conversation])).filter(isRun).map(({ markdown }) => markdown);
      expect(runs.sort()).toEqual([...crashes.keys()].map((number) => `it is time for ${number}`));
    });
  });
};
