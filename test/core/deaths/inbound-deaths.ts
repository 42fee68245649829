import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inboundMessage } from "../../../core/a2a/inbound/inbound-call.ts";
import { taskKey } from "../../../core/a2a/inbound/inbound-task.ts";
import { says } from "../../fakes/model-answer.ts";
import { userMessage } from "../core-under-test.ts";
import type { PlaceOptions } from "./backbone-place.ts";
import { MortalCore } from "./mortal-core.ts";

/** A process that starts on a busy machine takes its time. */

const deaths = ["turn.opened", "model.journaled", "reply.before", "a2a.settled"] as const;

const call = (at: string) => ({
  tenant: "default",
  agent: "mooring",
  caller: "alice",
  id: `task-${at}`,
  contextId: `context-${at}`,
  said: { id: `message-${at}`, from: "caller" as const, text: `die at ${at}` },
  sentAt: "2026-03-10T21:14:00.000Z",
});

/** A `kill -9` at every step of another agent's task: it ends, once, and never stays under way (A8). */
export const inboundDeaths = (kind: PlaceOptions["kind"]): void => {
  describe(`given a core on ${kind} that dies while it works for another agent`, () => {
    let core: MortalCore;
    beforeAll(async () => {
      core = await MortalCore.deploy(kind, ({ lastUserText }) => says(`answer to "${lastUserText}"`));
    });
    afterAll(() => core.dispose());

    it.each(deaths)("when it dies at %s, then the next one ends the task", async (at) => {
      const dying = await core.alive();
      await dying.dieAt(at, 1);
      const message = inboundMessage(call(at));
      await core.receive(message);
      await dying.exited;
      await core.alive();
      // Behind it in the same queue: when this is answered, the call is done with.
      const { conversation } = message;
      await core.receive(userMessage(`after ${at}`, "next", { conversation }));
      await core.heardReplyTo(`after ${at}`);
    });

    it("when all is over, then every task has its one answer, of one turn", async () => {
      const tasks = await core.inspect(({ store }) => Promise.all(deaths.map((at) => store.get(taskKey(call(at))))));
      expect(tasks.map((task) => [task?.value.state, task?.value.answer, task?.value.ended.length])).toEqual(
        deaths.map((at) => ["completed", `answer to "die at ${at}"`, 1]),
      );
    });
  });
};
