import { afterEach, describe, expect, it } from "vitest";
import { attemptKey } from "../../../core/backbone/attempt-counts.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { says } from "../../fakes/scripted-model.ts";
import { AGENT, CoreUnderTest, userMessage } from "../core-under-test.ts";

let core: CoreUnderTest;
let finish: (() => void)[];
afterEach(() => core.dispose());

/** The test finishes each answer and advances the clock. */
const start = async (maxTurnsPerPerson: number) => {
  finish = [];
  const script = () => () =>
    new Promise<ReturnType<typeof says>>((resolve) => finish.push(() => resolve(says("done"))));
  core = await CoreUnderTest.start(script, { agent: { maxTurnsPerPerson }, heldByClock: true });
};

const write = (id: string, account: string) =>
  core.receive(
    userMessage(id, id, {
      account: { id: account, name: account },
      conversation: { channel: "web", room: id, kind: "shared" },
    }),
  );

const asked = () => core.model.requests.items.map(({ messages }) => JSON.stringify(messages));

describe("given a person who writes in many conversations at once", () => {
  it("when the limit of turns is reached, then the next message waits for a turn to end, and other people do not wait", async () => {
    await start(2);
    for (const id of ["a1", "a2", "a3"]) await write(id, "ann");
    await core.model.requests.count(2);
    await write("b1", "bob");
    await core.model.requests.count(3);
    expect(asked().filter((text) => text.includes("a3"))).toEqual([]);
    finish.shift()?.();
    await core.model.requests.count(4);
    for (const end of finish) end();
    for (const id of ["a1", "a2", "a3", "b1"]) expect((await core.replyTo(id)).markdown).toBe("done");
  });

  it("when several messages wait, then each end of a turn starts the next one in order, and waiting counts as no attempt", async () => {
    await start(1);
    await write("a1", "ann");
    await core.model.requests.count(1);
    for (const [before, id] of ["a2", "a3"].entries()) {
      await write(id, "ann");
      await core.clock.waits.until((waits) => waits.filter((ms) => ms === 30_000).length > before);
    }
    const intake = subjectsOf("default").userMessage(AGENT).name;
    for (const id of ["a2", "a3"]) {
      expect(await core.backbone.store.get(attemptKey("intake", intake, id))).toBeUndefined();
    }
    for (const [before, id] of ["a1", "a2", "a3"].entries()) {
      await core.model.requests.count(before + 1);
      expect(asked().at(-1)).toContain(id);
      finish.shift()?.();
      await core.replyTo(id);
    }
  });
});
