import { afterEach, describe, expect, it } from "vitest";
import { type CoreUnderTest, userMessage } from "../core-under-test.ts";
import { backgroundTask, delegates, roles, startDelegating, untilFinals } from "./delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

describe("given a turn that delegated and cannot be brought to its end", () => {
  it("when its message is given up, then its words go out, and the results are answered all the same (B3)", async () => {
    let broken = 0;
    core = await startDelegating(roles({ primary: delegates(["a"], "on it"), continuation: () => "the answer" }), {
      checkpoint: (name) => {
        if (name === "reply.before" && ++broken <= 5) throw new Error("as if something were broken");
      },
    });
    await core.receive(userMessage("m-1", "go"));
    for (const pauseMs of [2, 4, 8, 16]) await core.clock.passNext(pauseMs);
    expect(await core.replyTo("m-1")).toMatchObject({ kind: "final", markdown: "on it" });
    expect((await untilFinals(core, 2))[1]).toMatchObject({ markdown: "the answer" });
  });

  it("when it is a schedule's, then what was left out stays left out, and only the answer comes (B6)", async () => {
    let broken = 0;
    core = await startDelegating(
      roles({ primary: delegates(["a"], "not for people"), continuation: () => "the answer" }),
      {
        checkpoint: (name) => {
          if (name === "reply.before" && ++broken <= 5) throw new Error("as if something were broken");
        },
      },
    );
    await core.receive(backgroundTask("run-1", "go"));
    for (const pauseMs of [2, 4, 8, 16]) await core.clock.passNext(pauseMs);
    expect((await untilFinals(core, 1)).map(({ markdown }) => markdown)).toEqual(["the answer"]);
  });
});
