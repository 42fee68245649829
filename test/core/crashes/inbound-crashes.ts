import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inboundMessage } from "../../../core/a2a/inbound/inbound-call.ts";
import { taskKey } from "../../../core/a2a/inbound/inbound-task.ts";
import { says } from "../../fakes/model-answer.ts";
import { userMessage } from "../core-under-test.ts";
import type { DataOptions } from "./backbone-data.ts";
import { CrashingCore } from "./crashing-core.ts";

const crashes = ["turn.opened", "model.journaled", "reply.before", "a2a.settled"] as const;

const call = (at: string) => ({
  tenant: "default",
  agent: "mooring",
  caller: "alice",
  id: `task-${at}`,
  contextId: `context-${at}`,
  said: { id: `message-${at}`, from: "caller" as const, text: `crash at ${at}` },
  sentAt: "2026-03-10T21:14:00.000Z",
});

/** A `kill -9` at every step of an inbound task: the task ends once, and never stays open (A8). */
export const inboundCrashes = (kind: DataOptions["kind"]): void => {
  describe(`given a core on ${kind} that crashes while it works on an inbound task`, () => {
    let core: CrashingCore;
    beforeAll(async () => {
      core = await CrashingCore.deploy(kind, ({ lastUserText }) => says(`answer to "${lastUserText}"`));
    });
    afterAll(() => core.dispose());

    it.each(crashes)("when it crashes at %s, then the next process ends the task", async (at) => {
      const crashing = await core.running();
      await crashing.crashAt(at, 1);
      const message = inboundMessage(call(at));
      await core.receive(message);
      await crashing.exited;
      await core.running();
      // Queued after the call: once this is answered, the call has been handled.
      const { conversation } = message;
      await core.receive(userMessage(`after ${at}`, "next", { conversation }));
      await core.receivedReplyTo(`after ${at}`);
    });

    it("when all work has ended, then every task has one answer, from one turn", async () => {
      const tasks = await core.inspect(({ store }) => Promise.all(crashes.map((at) => store.get(taskKey(call(at))))));
      expect(tasks.map((task) => [task?.value.state, task?.value.answer, task?.value.ended.length])).toEqual(
        crashes.map((at) => ["completed", `answer to "crash at ${at}"`, 1]),
      );
    });
  });
};
