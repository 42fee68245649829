import { afterEach, describe, expect, it } from "vitest";
import { says } from "../../fakes/scripted-model.ts";
import { CoreUnderTest, userMessage } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

describe("given a person who writes in many conversations at once", () => {
  it("when they have enough turns running, then the next waits for one to end, and others do not wait", async () => {
    const finish: (() => void)[] = [];
    core = await CoreUnderTest.start(
      () => () =>
        new Promise((resolve) => {
          finish.push(() => resolve(says("done")));
        }),
      { agent: { maxTurnsPerPerson: 2 } },
    );
    const write = (id: string, account: string) =>
      core.receive(
        userMessage(id, id, {
          account: { id: account, name: account },
          conversation: { channel: "web", room: id, kind: "shared" },
        }),
      );
    for (const id of ["a1", "a2", "a3"]) await write(id, "ann");
    await core.model.requests.count(2);
    await write("b1", "bob");
    await core.model.requests.count(3);
    const asked = core.model.requests.items.map(({ messages }) => JSON.stringify(messages));
    expect(asked.filter((text) => text.includes("a3"))).toEqual([]);
    finish.shift()?.();
    await core.model.requests.count(4);
    for (const end of finish) end();
    for (const id of ["a1", "a2", "a3", "b1"]) expect((await core.replyTo(id)).markdown).toBe("done");
  });
});
