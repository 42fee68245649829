import { afterEach, describe, expect, it } from "vitest";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import type { Bus } from "../../../core/contract/ports/bus.ts";
import type { Key } from "../../../core/contract/ports/store.ts";
import { english } from "../../../core/contract/texts/texts.ts";
import { sessionKey } from "../../../core/sessions/current-session.ts";
import { readHistory } from "../../../core/sessions/session-history.ts";
import { CoreUnderTest, userMessage } from "../core-under-test.ts";
import { backgroundTask } from "../subtasks/delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

/** A checkpoint that throws the first `times` times it is reached. */
const breakingAt = (step: string, times: number) => {
  let reached = 0;
  return (name: string) => {
    if (name === step && ++reached <= times) throw new Error("a bug");
  };
};

const failureNotice = { kind: "notice", outcome: "failed", markdown: english.failures.internal, origin: null };

describe("given a message that cannot be handled", () => {
  it("when it is dead-lettered, then its sender gets one failure notice, and the next message is answered", async () => {
    core = await CoreUnderTest.start(() => "fine", { checkpoint: breakingAt("turn.opened", 5) });
    await core.receive(userMessage("m-1", "hello"));
    await core.receive(userMessage("m-2", "and this?"));
    expect(await core.replyTo("m-2")).toMatchObject({ kind: "final", markdown: "fine" });
    expect(core.replies.items).toHaveLength(2);
    expect(core.replies.items[0]).toMatchObject({ ...failureNotice, correlationId: "m-1", mayRepeat: true });
  });

  it("when the record of the session is corrupt, then its sender gets a failure notice too", async () => {
    core = await CoreUnderTest.start(() => "fine");
    const message = userMessage("m-1", "hello");
    await core.backbone.store.put(sessionKey(message) as Key<unknown>, { sessionId: 7 });
    await core.receive(message);
    expect(await core.replyTo("m-1")).toMatchObject(failureNotice);
  });

  it("when its turn had ended, then its sender gets the answer", async () => {
    core = await CoreUnderTest.start(["the answer"], { checkpoint: breakingAt("reply.before", 5) });
    expect(await core.ask("m-1", "hello")).toMatchObject({ kind: "final", markdown: "the answer", mayRepeat: true });
  });
});

describe("given background work that cannot be completed", () => {
  const known = async (sessionId: string) =>
    (await readHistory(core.backbone.store, sessionId, 0)).map((entry) =>
      entry.kind === "said" ? entry.markdown : entry.finalText,
    );

  it("when the failure is reported, then its session and the session that shows the report both store it (O15)", async () => {
    core = await CoreUnderTest.start(() => "fine", { checkpoint: breakingAt("turn.opened", 5) });
    await core.receive(backgroundTask("m-1", "go"));
    const { sessionId } = await core.ask("m-2", "what was that?");
    expect(core.replies.items[0]).toMatchObject({
      kind: "final",
      outcome: "failed",
      origin: { promptSummary: "Morning brief" },
      cause: { trigger: "task" },
    });
    expect(await known("run-of-m-1")).toEqual([english.failures.internal]);
    expect(await known(sessionId ?? "")).toEqual([english.failures.internal, "fine"]);
  });

  it("when its turn had ended, then the session that shows the answer stores it too (O15)", async () => {
    core = await CoreUnderTest.start(["the news", "fine"], { checkpoint: breakingAt("reply.before", 5) });
    await core.receive(backgroundTask("m-1", "go"));
    const { sessionId } = await core.ask("m-2", "what was that?");
    expect(await known(sessionId ?? "")).toEqual(["the news", "fine"]);
  });
});

describe("given a message that was retried many times", () => {
  it("when it fails once more and then succeeds, then its sender gets no failure notice", async () => {
    core = await CoreUnderTest.start(["the answer", "another"], {
      checkpoint: breakingAt("turn.opened", 1),
      wrap: withAttemptsFrom(10),
    });
    await core.ask("m-1", "hello");
    await core.ask("m-2", "still there?");
    expect(core.replies.items.map(({ kind }) => kind)).toEqual(["final", "final"]);
  });
});

const withAttemptsFrom =
  (more: number) =>
  (backbone: Backbone): Backbone => {
    const bus: Bus = {
      publish: (...args) => backbone.bus.publish(...args),
      signal: (...args) => backbone.bus.signal(...args),
      listen: (...args) => backbone.bus.listen(...args),
      consume: (subject, options, handle) =>
        backbone.bus.consume(subject, options, (message, received) =>
          handle(message, { ...received, attempt: received.attempt + more }),
        ),
    };
    return {
      bus,
      store: backbone.store,
      health: () => backbone.health(),
      writeProblem: () => backbone.writeProblem(),
      onHealthChange: (listener) => backbone.onHealthChange(listener),
      queues: () => backbone.queues(),
      close: () => backbone.close(),
    };
  };
