import { afterEach, describe, expect, it } from "vitest";
import type { UserSignal } from "../../../core/contract/messages/signals.ts";
import { ModelFailed } from "../../../core/model/model-failed.ts";
import type { StepResponse } from "../../../core/model/step.ts";
import { DeltaStream } from "../../../core/turns/ask-model.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { says } from "../../fakes/scripted-model.ts";
import { CoreUnderTest, TYPING_EVERY_MS } from "../core-under-test.ts";

describe("given a text that streams in small pieces", () => {
  const collect = () => {
    const clock = new ManualClock();
    const sent: [offset: number, text: string][] = [];
    return { clock, sent, stream: new DeltaStream(clock, (offset, text) => sent.push([offset, text])) };
  };

  it("when many pieces arrive at once, then the first is sent at once and the rest together", () => {
    const { clock, sent, stream } = collect();
    for (const piece of ["Hel", "lo ", "wor", "ld"]) stream.push(piece);
    expect(sent).toEqual([[0, "Hel"]]);
    clock.advance(40);
    expect(sent).toEqual([
      [0, "Hel"],
      [3, "lo world"],
    ]);
  });

  it("when a second passes, then at most 26 signals are sent", () => {
    const { clock, sent, stream } = collect();
    for (let ms = 0; ms < 1_000; ms++) {
      stream.push("x");
      clock.advance(1);
    }
    expect(sent.length).toBeLessThanOrEqual(26);
    expect(sent.map(([, text]) => text).join("").length).toBeGreaterThan(950);
  });

  it("when it has ended, then nothing more is sent and no timer is left", () => {
    const { clock, sent, stream } = collect();
    stream.push("a");
    stream.push("b");
    stream.end();
    stream.push("c");
    clock.advance(1_000);
    expect(sent).toEqual([[0, "a"]]);
    expect(clock.pending).toBe(0);
  });
});

describe("given a turn whose text is streamed", () => {
  let core: CoreUnderTest;
  afterEach(() => core.dispose());

  it("when the request is retried, then its text has a higher attempt", async () => {
    const failsMidway = async ({ onText }: { onText(text: string): void }) => {
      onText("Hel");
      throw new ModelFailed("unreachable", "connection lost");
    };
    core = await CoreUnderTest.start([failsMidway, "Hello"]);
    const asked = core.ask("m-1", "hi");
    await core.passModelPause(1);
    const { id: replyId, audience } = await asked;
    const of = { correlationId: "m-1", replyId, accountId: audience.accountId };
    const signals = await core.signals.count(3);
    const conversation = { channel: "web", room: "room-1", kind: "private" };
    expect(signals).toEqual<UserSignal[]>([
      { type: "delta", conversation, ...of, attempt: 1_000, offset: 0, text: "Hel" },
      { type: "typing", conversation },
      { type: "delta", conversation, ...of, attempt: 1_001, offset: 0, text: "Hello" },
    ] as UserSignal[]);
  });

  it("when the model works for long, then typing is signalled again every 4.5 s until the answer (D8)", async () => {
    let answer: (text: string) => void = () => undefined;
    const slow = new Promise<StepResponse>((resolve) => {
      answer = (text) => resolve(says(text));
    });
    core = await CoreUnderTest.start([() => slow]);
    const asked = core.ask("m-1", "hi");
    await core.clock.passNext(100);
    await core.signals.count(1);
    for (let shown = 2; shown <= 4; shown++) {
      core.clock.advance(TYPING_EVERY_MS);
      await core.signals.count(shown);
    }
    answer("Hello");
    await asked;
    const before = core.signals.items.filter(({ type }) => type === "typing").length;
    core.clock.advance(60_000);
    expect(core.signals.items.filter(({ type }) => type === "typing")).toHaveLength(before);
    expect(before).toBe(4);
  });

  it("when the answer is immediate, then no typing signal is sent (D8)", async () => {
    core = await CoreUnderTest.start(["Hello", "Still here"]);
    await core.ask("m-1", "hi");
    core.clock.advance(1_000);
    await core.ask("m-2", "and now?");
    expect((await core.signals.count(2)).map(({ type }) => type)).toEqual(["delta", "delta"]);
  });
});
