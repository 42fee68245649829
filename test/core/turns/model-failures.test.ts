import { afterEach, describe, expect, it } from "vitest";
import { english } from "../../../core/contract/texts/texts.ts";
import type { ModelFailure } from "../../../core/model/model-failed.ts";
import { ModelFailed } from "../../../core/model/model-failed.ts";
import type { Script } from "../../fakes/scripted-model.ts";
import { says } from "../../fakes/scripted-model.ts";
import type { TestOptions } from "../core-under-test.ts";
import { CoreUnderTest, userMessage } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());
const start = async (script: Script, options?: TestOptions) => {
  core = await CoreUnderTest.start(script, options);
};
const failure = (reason: ModelFailure, retryAfterMs?: number) =>
  new ModelFailed(reason, `secret internals of ${reason}`, { retryAfterMs });

describe("given a model that fails", () => {
  it.each<ModelFailure>(["rate-limited", "timeout", "unreachable", "overloaded", "bad-answer"])(
    "when it fails twice with %s, then the third attempt answers",
    async (reason) => {
      await start([failure(reason), failure(reason), "here I am"]);
      const reply = core.ask("m-1", "hello");
      await core.passModelPause(1);
      await core.passModelPause(2);
      expect(await reply).toMatchObject({ outcome: "answered", markdown: "here I am" });
    },
  );

  it("when it fails three times, then the reply says what to do, and the session stays usable", async () => {
    await start([failure("overloaded"), failure("overloaded"), failure("overloaded"), "better"]);
    const reply = core.ask("m-1", "hello");
    await core.passModelPause(1);
    await core.passModelPause(2);
    expect(await reply).toMatchObject({ kind: "final", outcome: "failed", markdown: english.failures.overloaded });
    expect(await core.ask("m-2", "and now?")).toMatchObject({ outcome: "answered", markdown: "better" });
    expect(core.model.requests.items[3]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it.each<ModelFailure>(["credentials", "refused"])("when it fails with %s, then there is no retry", async (reason) => {
    await start([failure(reason)]);
    expect(await core.ask("m-1", "hello")).toMatchObject({ outcome: "failed", markdown: english.failures[reason] });
    expect(core.model.requests.items).toHaveLength(1);
  });

  it("when it names a retry delay, then the retry waits for it, up to a maximum", async () => {
    await start([failure("rate-limited", 20_000), "later", failure("rate-limited", 3_600_000)]);
    const reply = core.ask("m-1", "hello");
    await core.clock.waits.until((waits) => waits.includes(20_000));
    core.clock.advance(19_999);
    expect(core.model.requests.items).toHaveLength(1);
    core.clock.advance(1);
    expect(await reply).toMatchObject({ markdown: "later" });
    expect(await core.ask("m-2", "again")).toMatchObject({ markdown: english.failures["rate-limited"] });
  });

  it("when the model client throws an unknown error, then the reply is a failure text without internals", async () => {
    await start(() => new Error("stack trace with a secret") as ModelFailed);
    const reply = core.ask("m-1", "hello");
    await core.passModelPause(1);
    await core.passModelPause(2);
    expect(await reply).toMatchObject({ outcome: "failed", markdown: english.failures["bad-answer"] });
  });

  it("when it never responds, then the turn ends at its deadline (F18)", async () => {
    await start([() => new Promise(() => {})], { turnDeadlineMs: 5_000 });
    const reply = core.ask("m-1", "hello");
    await core.model.requests.count(1);
    core.clock.advance(5_000);
    expect(await reply).toMatchObject({ outcome: "failed", markdown: english.failures["turn-timeout"] });
  });

  it("when its answer is larger than a reply can be, then the reply is cut and says so", async () => {
    await start([says("é".repeat(400_000))]);
    const reply = await core.ask("m-1", "hello");
    expect(reply.outcome).toBe("answered");
    expect(reply.markdown).toMatch(/\[cut: 801 kB, only the beginning is shown\]$/);
  });

  it("when the conversation exceeds its context, then older turns are summarised and the request is retried once", async () => {
    let tooLong = false;
    await start((request) => {
      if (request.tools.length === 0) return "they talked";
      return tooLong && request.messages.length > 3 ? failure("context-too-long") : `got ${request.messages.length}`;
    });
    await core.ask("m-1", "one");
    await core.ask("m-2", "two");
    tooLong = true;
    expect(await core.ask("m-3", "three")).toMatchObject({ outcome: "answered", markdown: "got 3" });
    expect(core.model.requests.items.at(-1)?.system).toContain("they talked");
  });

  it("when even that is too long, then the reply advises `/new`", async () => {
    await start(() => failure("context-too-long"));
    const reply = await core.ask("m-1", "x".repeat(1_000));
    expect(reply).toMatchObject({ outcome: "failed", markdown: english.failures["context-too-long"] });
    expect(reply.markdown).toContain("`/new`");
  });
});

describe("given a person who sends a very long message", () => {
  it("when it is stored in the history, then it fits, and the session stays usable", async () => {
    await start(() => "ok");
    const huge = "ä".repeat(240_000);
    expect(await core.ask("m-1", huge)).toMatchObject({ outcome: "answered" });
    await core.receive(userMessage("m-2", "next"));
    expect(await core.replyTo("m-2")).toMatchObject({ outcome: "answered" });
  });
});
