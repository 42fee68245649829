import { afterEach, describe, expect, it } from "vitest";
import type { ModelFailure } from "../../../core/model/model-failed.ts";
import { ModelFailed } from "../../../core/model/model-failed.ts";
import { failureText } from "../../../core/turns/failure-text.ts";
import type { Script } from "../../fakes/scripted-model.ts";
import { says } from "../../fakes/scripted-model.ts";
import type { TestOptions } from "../core-under-test.ts";
import { CoreUnderTest, userMessage } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());
const start = async (script: Script, options?: TestOptions) => {
  core = await CoreUnderTest.start(script, options);
};
const trouble = (reason: ModelFailure, retryAfterMs?: number) =>
  new ModelFailed(reason, `secret insides of ${reason}`, { retryAfterMs });

describe("given a model in trouble", () => {
  it.each<ModelFailure>(["rate-limited", "timeout", "unreachable", "overloaded", "bad-answer"])(
    "when it is %s twice, then the third try answers",
    async (reason) => {
      await start([trouble(reason), trouble(reason), "here I am"]);
      const reply = core.ask("m-1", "hello");
      await core.passModelPause(1);
      await core.passModelPause(2);
      expect(await reply).toMatchObject({ outcome: "answered", markdown: "here I am" });
    },
  );

  it("when it fails three times, then the person is told what to do, and the session stays usable", async () => {
    await start([trouble("overloaded"), trouble("overloaded"), trouble("overloaded"), "better"]);
    const reply = core.ask("m-1", "hello");
    await core.passModelPause(1);
    await core.passModelPause(2);
    expect(await reply).toMatchObject({ kind: "final", outcome: "failed", markdown: failureText.overloaded });
    expect(await core.ask("m-2", "and now?")).toMatchObject({ outcome: "answered", markdown: "better" });
    expect(core.model.requests.items[3]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it.each<ModelFailure>(["credentials", "refused"])("when it is %s, then it is asked once", async (reason) => {
    await start([trouble(reason)]);
    expect(await core.ask("m-1", "hello")).toMatchObject({ outcome: "failed", markdown: failureText[reason] });
    expect(core.model.requests.items).toHaveLength(1);
  });

  it("when it names a time, then that is waited for, but not for ever", async () => {
    await start([trouble("rate-limited", 20_000), "later", trouble("rate-limited", 3_600_000)]);
    const reply = core.ask("m-1", "hello");
    await core.clock.waits.until((waits) => waits.includes(20_000));
    core.clock.advance(19_999);
    expect(core.model.requests.items).toHaveLength(1);
    core.clock.advance(1);
    expect(await reply).toMatchObject({ markdown: "later" });
    expect(await core.ask("m-2", "again")).toMatchObject({ markdown: failureText["rate-limited"] });
  });

  it("when it breaks its own contract, then the person still gets an answer without our insides", async () => {
    await start(() => new Error("stack trace with a secret") as ModelFailed);
    const reply = core.ask("m-1", "hello");
    await core.passModelPause(1);
    await core.passModelPause(2);
    expect(await reply).toMatchObject({ outcome: "failed", markdown: failureText["bad-answer"] });
  });

  it("when it hangs for ever, then the turn's deadline ends it (F18)", async () => {
    await start([() => new Promise(() => {})], { turnDeadlineMs: 5_000 });
    const reply = core.ask("m-1", "hello");
    await core.model.requests.count(1);
    core.clock.advance(5_000);
    expect(await reply).toMatchObject({ outcome: "failed", markdown: failureText["turn-timeout"] });
  });

  it("when it answers more than anything can carry, then the answer is cut and says so", async () => {
    await start([says("é".repeat(400_000))]);
    const reply = await core.ask("m-1", "hello");
    expect(reply.outcome).toBe("answered");
    expect(reply.markdown).toMatch(/\[cut: 801 kB, only the beginning is shown\]$/);
  });

  it("when the conversation is too long for it, then older turns are summarised and it is asked once more", async () => {
    let tooLong = false;
    await start((request) => {
      if (request.tools.length === 0) return "they talked";
      return tooLong && request.messages.length > 3 ? trouble("context-too-long") : `got ${request.messages.length}`;
    });
    await core.ask("m-1", "one");
    await core.ask("m-2", "two");
    tooLong = true;
    expect(await core.ask("m-3", "three")).toMatchObject({ outcome: "answered", markdown: "got 3" });
    expect(core.model.requests.items.at(-1)?.system).toContain("they talked");
  });

  it("when even that is too long, then the person is told about `new`", async () => {
    await start(() => trouble("context-too-long"));
    const reply = await core.ask("m-1", "x".repeat(1_000));
    expect(reply).toMatchObject({ outcome: "failed", markdown: failureText["context-too-long"] });
    expect(reply.markdown).toContain("`/new`");
  });
});

describe("given a person who sends something huge", () => {
  it("when it is remembered, then it fits, and the session stays usable", async () => {
    await start(() => "ok");
    const huge = "ä".repeat(240_000);
    expect(await core.ask("m-1", huge)).toMatchObject({ outcome: "answered" });
    await core.receive(userMessage("m-2", "next"));
    expect(await core.replyTo("m-2")).toMatchObject({ outcome: "answered" });
  });
});
