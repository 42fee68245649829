import type { Msg } from "nats";
import { NatsError } from "nats";
import { describe, expect, it } from "vitest";
import type { NatsSession } from "../../../../../core/backbone/nats/connection/nats-session.ts";
import { PullReader } from "../../../../../core/backbone/nats/partitions/pull-reader.ts";
import type { Timer } from "../../../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../../../core/contract/ports/logger.ts";
import { ManualClock } from "../../../../fakes/manual-clock.ts";

interface Request {
  readonly reply: string;
  readonly batch: number;
  readonly at: number;
  readonly expiresMs: number;
}

type Existence = "exists" | "deleted" | "leaderless" | "unknown";

const answer = (code: number, err_code: number, description: string): NatsError => {
  const error = new NatsError(description, String(code));
  error.api_error = { code, err_code, description };
  return error;
};

/** A reader of a consumer that sends only what the test sends. */
const readSilence = (clock = new ManualClock()) => {
  const requests: Request[] = [];
  let receive: (error: Error | null, message: Msg) => void = () => undefined;
  const state = { ended: 0, received: 0, wantsMore: true, canReplace: true, consumer: "exists" as Existence };
  const nc = {
    subscribe(_: string, { callback }: { callback: typeof receive }) {
      receive = callback;
      return { unsubscribe: () => undefined };
    },
    publish(_: string, data: string, { reply }: { reply: string }) {
      const { batch, expires } = JSON.parse(data);
      requests.push({ reply, batch, at: clock.monotonic(), expiresMs: expires / 1_000_000 });
    },
  };
  const info = async () => {
    if (state.consumer === "deleted") throw answer(404, 10_014, "consumer not found");
    if (state.consumer === "leaderless") throw answer(503, 10_008, "JetStream system temporarily unavailable");
    if (state.consumer === "unknown") throw new NatsError("TIMEOUT", "TIMEOUT");
  };
  const session = { isOpen: true, newInbox: () => "inbox", nc, lookups: { consumers: { info } } };
  const reader = new PullReader({
    session: session as unknown as NatsSession,
    clock,
    logger: silentLogger,
    stream: "stream",
    consumer: "consumer",
    message: () => void state.received++,
    wantsMore: () => state.wantsMore,
    canReplace: () => state.canReplace,
    ended() {
      state.ended++;
      reader.stop();
    },
  });
  const last = () => requests.at(-1) as Request;
  const status = (code: number, request = last(), left = "") =>
    receive(null, { subject: request.reply, headers: { code, get: () => left } } as unknown as Msg);
  let seq = 0;
  const message = () =>
    receive(null, { subject: "s", reply: `$JS.ACK.stream.consumer.1.${++seq}.${seq}.0.0` } as unknown as Msg);
  const skip = () => void seq++;
  return { clock, state, reader, requests, last, status, message, skip };
};

/** Lets the promises of the reader settle after each second. */
const seconds = async (clock: ManualClock, count: number, each: () => void = () => undefined) => {
  for (let n = 0; n < count; n++) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
    each();
  }
};

describe("given a consumer whose pull request is lost without a status (F36)", () => {
  it("when nothing arrives, then messages are requested again within 3 s, on another reply subject", async () => {
    const { clock, requests, reader } = readSilence();
    await seconds(clock, 2);
    expect(requests).toHaveLength(1);
    expect(reader.isServed).toBe(true);
    await seconds(clock, 1);
    expect(requests.map(({ batch }) => batch)).toEqual([256, 256]);
    expect(new Set(requests.map(({ reply }) => reply)).size).toBe(2);
    expect(reader.isServed).toBe(false);
  });

  it("when the new request is served, then reading continues", async () => {
    const { clock, state, reader, status } = readSilence();
    await seconds(clock, 3);
    await seconds(clock, 100, () => status(100));
    expect(state.ended).toBe(0);
    expect(reader.isServed).toBe(true);
  });

  it("when the status of the replaced request arrives late, then it does not count for the new one", async () => {
    const { clock, requests, status } = readSilence();
    const [lost] = requests;
    await seconds(clock, 3);
    status(408, lost, "256");
    expect(requests).toHaveLength(2);
    status(408, requests[1], "256");
    expect(requests).toHaveLength(3);
  });
});

describe("given a consumer that does not respond", () => {
  it("when the server reports it as deleted, then ended() is called within 3 s, once", async () => {
    const { clock, state } = readSilence();
    state.consumer = "deleted";
    await seconds(clock, 3);
    expect(state.ended).toBe(1);
    await seconds(clock, 100);
    expect(state.ended).toBe(1);
  });

  it("when it has no leader although the cluster stores writes, then ended() is called within 6 s", async () => {
    const { clock, state } = readSilence();
    state.consumer = "leaderless";
    await seconds(clock, 4);
    expect(state.ended).toBe(0);
    await seconds(clock, 2);
    expect(state.ended).toBe(1);
  });

  it("when it has no leader and the cluster stores no writes, then requests are repeated until the cluster stores again", async () => {
    const { clock, state, requests } = readSilence();
    Object.assign(state, { consumer: "leaderless", canReplace: false });
    await seconds(clock, 100);
    expect(state.ended).toBe(0);
    expect(requests.length).toBeGreaterThan(30);
    state.canReplace = true;
    await seconds(clock, 3);
    expect(state.ended).toBe(1);
  });

  it("when it exists, then ended() is called once, after several requests", async () => {
    const { clock, state, requests } = readSilence();
    await seconds(clock, 15);
    expect(state.ended).toBe(0);
    await seconds(clock, 100);
    expect(state.ended).toBe(1);
    expect(requests.length).toBeLessThan(12);
  });

  it("when the server does not answer at all, then requests are repeated and ended() is not called", async () => {
    const { clock, state, requests } = readSilence();
    state.consumer = "unknown";
    await seconds(clock, 60);
    expect(state.ended).toBe(0);
    expect(requests.length).toBeGreaterThan(20);
  });
});

describe("given a consumer that is served", () => {
  it("when heartbeats arrive, then requests are replaced long before they expire, and none is added", async () => {
    const { clock, state, requests, status } = readSilence();
    await seconds(clock, 1_200, () => status(100));
    expect(state.ended).toBe(0);
    expect(requests.length).toBeGreaterThan(1);
    expect(requests.length).toBeLessThan(5);
    for (const [index, { at }] of requests.slice(1).entries()) {
      const before = requests[index] as Request;
      expect(at).toBeLessThan(before.at + 0.9 * before.expiresMs);
    }
  });

  it("when half of the requested messages have arrived, then that half is requested again, and never more", () => {
    const { requests, message, state } = readSilence();
    for (let n = 0; n < 1_024; n++) message();
    expect(state.received).toBe(1_024);
    expect(requests.map(({ batch }) => batch)).toEqual([256, ...Array(8).fill(128)]);
  });

  it("when a request is refused, then it is retried within half a second, not at once", async () => {
    const { clock, requests, status, last } = readSilence();
    status(409, last(), "256");
    expect(requests).toHaveLength(1);
    clock.advance(500);
    expect(requests).toHaveLength(2);
  });

  it("when this process has requested nothing for long, then silence has no effect", async () => {
    const { clock, state, reader, status, last } = readSilence();
    state.wantsMore = false;
    status(408, last(), "256");
    await seconds(clock, 100);
    expect(reader.isServed).toBe(true);
    state.wantsMore = true;
    reader.wake();
    await seconds(clock, 2);
    expect([state.ended, reader.isServed]).toEqual([0, true]);
  });
});

describe("given readers that started at different times", () => {
  it("when they are served, then their checks share five moments of a second, so that an idle process wakes rarely", async () => {
    const fired = new Set<number>();
    class WatchedClock extends ManualClock {
      override after(ms: number, callback: () => void): Timer {
        const noted = () => {
          fired.add(this.monotonic());
          callback();
        };
        return super.after(ms, noted);
      }
    }
    const clock = new WatchedClock();
    const served: { readonly since: number; readonly reader: ReturnType<typeof readSilence> }[] = [];
    const run = (ms: number) => {
      for (const until = clock.monotonic() + ms; clock.monotonic() < until; ) {
        clock.advance(10);
        for (const { since, reader } of served) if ((clock.monotonic() - since) % 2_000 === 0) reader.status(100);
      }
    };
    for (let n = 0; n < 40; n++) {
      served.push({ since: clock.monotonic(), reader: readSilence(clock) });
      run(30);
    }
    run(8_000);
    fired.clear();
    run(10_000);
    expect(fired.size).toBeLessThanOrEqual(50);
    for (const { reader } of served) expect(reader.requests).toHaveLength(1);
  });

  it.each([0, 1, 99, 150, 199])(
    "when the heartbeats end %i ms after a tick, then the request is repeated within 3 s",
    async (offset) => {
      const { clock, requests, status } = readSilence();
      await seconds(clock, 10, () => status(100));
      clock.advance(offset);
      status(100);
      expect(requests).toHaveLength(1);
      clock.advance(2_999);
      expect(requests.length).toBeGreaterThan(1);
    },
  );
});

describe("given a consumer whose messages can be lost in transit through a cluster (F34)", () => {
  it("when a sequence number is missing, then the message behind the gap is not handed on, and ended() is called", () => {
    const { state, message, skip } = readSilence();
    message();
    skip();
    message();
    expect([state.received, state.ended]).toEqual([1, 1]);
  });

  it("when heartbeats name a message that does not arrive, then ended() is called at the second one", async () => {
    const { clock, state, status, last } = readSilence();
    status(100, last(), "1");
    expect(state.ended).toBe(0);
    await seconds(clock, 2);
    status(100, last(), "1");
    expect(state.ended).toBe(1);
  });

  it("when that message arrives after the heartbeat that names it, then ended() is not called", async () => {
    const { clock, state, status, last, message } = readSilence();
    status(100, last(), "1");
    message();
    await seconds(clock, 2);
    status(100, last(), "1");
    expect([state.received, state.ended]).toEqual([1, 0]);
  });
});
