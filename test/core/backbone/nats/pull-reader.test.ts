import type { Msg } from "nats";
import { describe, expect, it } from "vitest";
import type { NatsSession } from "../../../../core/backbone/nats/nats-session.ts";
import { PullReader } from "../../../../core/backbone/nats/pull-reader.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";

/** A reader of a consumer that says only what the test says. */
const readSilence = () => {
  const clock = new ManualClock();
  let hear: (error: Error | null, message: Msg) => void = () => undefined;
  const nc = {
    subscribe(_: string, { callback }: { callback: typeof hear }) {
      hear = callback;
      return { unsubscribe: () => undefined };
    },
    publish: () => undefined,
  };
  const session = { isOpen: true, newInbox: () => "inbox", nc } as unknown as NatsSession;
  const state = { gone: 0, wantsMore: true };
  const reader = new PullReader({
    session,
    clock,
    stream: "stream",
    consumer: "consumer",
    message: () => undefined,
    wantsMore: () => state.wantsMore,
    gone() {
      state.gone++;
      reader.stop();
    },
  });
  const status = (code: number) => ({ headers: { code, get: () => "" } }) as unknown as Msg;
  return { clock, state, reader, hear: (code: number) => hear(null, status(code)) };
};

const seconds = (clock: ManualClock, count: number, each: () => void = () => undefined) => {
  for (let n = 0; n < count; n++) {
    clock.advance(1_000);
    each();
  }
};

describe("given a consumer that is asked for messages", () => {
  it("when it says nothing, not even that it lives, then it is taken for gone, once", () => {
    const { clock, state } = readSilence();
    seconds(clock, 20);
    expect(state.gone).toBe(0);
    seconds(clock, 100);
    expect(state.gone).toBe(1);
  });

  it("when it says that it lives, then it is read on", () => {
    const { clock, state, hear } = readSilence();
    seconds(clock, 12, () => seconds(clock, 9, () => hear(100)));
    expect(state.gone).toBe(0);
  });

  it("when nobody asked it for long, then its silence means nothing", () => {
    const { clock, state, reader, hear } = readSilence();
    state.wantsMore = false;
    hear(408);
    seconds(clock, 100);
    state.wantsMore = true;
    reader.wake();
    seconds(clock, 20);
    expect(state.gone).toBe(0);
  });
});
