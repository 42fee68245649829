import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { Gate, hangsAfter, neverAnswers, says } from "../../fakes/model-answer.ts";
import { ScriptedModelServer } from "../../fakes/scripted-model-server.ts";
import { modelAt, run } from "./model-under-test.ts";

let server: ScriptedModelServer;
let clock: ManualClock;
beforeEach(async () => {
  server = await ScriptedModelServer.start();
  clock = new ManualClock();
});
afterEach(() => server.stop());

/** `whenReceived` resolves once the step has streamed this text. */
const listenFor = (text: string) => {
  const gate = new Gate();
  let received = "";
  const onText = (delta: string) => {
    received += delta;
    if (received === text) gate.release();
  };
  return { onText, whenReceived: gate.opened };
};

describe.each(["openai-compatible", "anthropic"])("given a model of %s", (provider) => {
  const model = (timeouts?: object) => modelAt(server.baseUrl, { provider, ...(timeouts && { timeouts }) }, { clock });

  it("when it never answers, then the timeout of the first token ends the step and the connection", async () => {
    server.follow([neverAnswers()]);
    const step = run(model());
    const request = await server.received(1);
    clock.advance(60_000);
    expect((await step).failure).toMatchObject({ reason: "timeout", retryable: true });
    expect(await request.closed).toBe("client-left");
    expect(clock.pending).toBe(0);
  });

  it("when its first token arrives just before the timeout, then the step succeeds", async () => {
    const gate = new Gate();
    server.follow([says([gate, "late"])]);
    const step = run(model());
    await server.received(1);
    clock.advance(59_999);
    gate.release();
    expect((await step).response?.text).toBe("late");
    expect(clock.pending).toBe(0);
  });

  it("when its stream hangs, then the idle timeout ends the step after the text so far", async () => {
    server.follow([hangsAfter("Hel")]);
    const { onText, whenReceived } = listenFor("Hel");
    const step = run(model(), {}, { onText });
    await whenReceived;
    clock.advance(60_000);
    const { failure, deltas } = await step;
    expect(failure).toMatchObject({ reason: "timeout", retryable: true });
    expect(deltas).toEqual(["Hel"]);
    expect(await server.requests[0]?.closed).toBe("client-left");
  });

  it("when tokens arrive slowly for ever, then each renews the idle timeout and the total timeout ends the step", async () => {
    const drip = [new Gate(), new Gate(), new Gate()];
    server.follow([says(["a", ...drip.flatMap((gate) => [gate, "b"]), new Gate()])]);
    const listeners = ["a", "ab", "abb", "abbb"].map(listenFor);
    const onText = (text: string) => {
      for (const listener of listeners) listener.onText(text);
    };
    const step = run(model({ idleMs: 50, totalMs: 150 }), {}, { onText });
    for (const [index, gate] of drip.entries()) {
      await listeners[index]?.whenReceived;
      clock.advance(40);
      gate.release();
    }
    await listeners[3]?.whenReceived;
    clock.advance(30);
    expect((await step).failure?.message).toContain("150 ms");
  });

  it("when the caller aborts during the answer, then the connection is closed and no more text is emitted", async () => {
    const gate = new Gate();
    server.follow([says(["Hel", gate, "lo"])]);
    const caller = new AbortController();
    const { onText, whenReceived } = listenFor("Hel");
    const step = run(model(), {}, { onText, signal: caller.signal });
    await whenReceived;
    caller.abort();
    const { failure, deltas } = await step;
    expect(failure).toMatchObject({ reason: "cancelled", retryable: false });
    expect(await server.requests[0]?.closed).toBe("client-left");
    gate.release();
    expect(deltas).toEqual(["Hel"]);
    expect(clock.pending).toBe(0);
  });

  it("when the caller has already aborted, then nothing is sent", async () => {
    const { failure } = await run(model(), {}, { signal: AbortSignal.abort() });
    expect(failure?.reason).toBe("cancelled");
    expect(server.requests).toHaveLength(0);
    expect(clock.pending).toBe(0);
  });
});

it("given one abort signal for many steps, when they end, then each removes its listener", async () => {
  server.follow(() => says("ok"));
  const { signal } = new AbortController();
  const listeners = { added: 0, removed: 0 };
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners.added++;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners.removed++;
    remove(...args);
  };
  const model = modelAt(server.baseUrl, {}, { clock });
  for (let step = 0; step < 5; step++) await run(model, {}, { signal });
  expect(listeners.added).toBe(5);
  expect(listeners.removed).toBeGreaterThanOrEqual(5);
});
