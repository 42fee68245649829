import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Fifo, type QueuedMessage } from "../../../core/backbone/key-lanes.ts";
import { KeyedConsumption } from "../../../core/backbone/keyed-consumption.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import { ack, type Outcome } from "../../../core/contract/ports/bus.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { subject } from "../../../core/contract/ports/subject.ts";

const brokenDelete: Store = {
  get: async () => undefined,
  put: async () => 1,
  delete: async () => {
    throw new AppError("unavailable", "the disk is full");
  },
  async *list() {},
};

const notingWrites = (writes: unknown[]): Store => ({
  ...brokenDelete,
  put: async (_, value) => writes.push(value),
});

const message = (seq: number, key: string | undefined): QueuedMessage => ({
  seq,
  partition: 0,
  key,
  id: `m${seq}`,
  publishedAt: 0,
  suspect: false,
  read: () => "{}",
});

const setUp = (store = brokenDelete, isOwned = () => true) => {
  let settled: () => void = () => undefined;
  const consumption = new KeyedConsumption(subject("default", "test.plain", z.looseObject({})), "d", {
    store,
    clock: systemClock,
    logger: silentLogger,
    acknowledge: async () => undefined,
    isOwned,
    mayStart: () => true,
    settled: () => settled(),
    failurePauseMs: 1,
  });
  const nextSettled = () => new Promise<void>((resolve) => (settled = resolve));
  return { consumption, nextSettled };
};

/** Only the test wakes it. */
const waiting = () => {
  const awake = new Set<() => void>();
  const wokenBy = (wake: () => void) => {
    awake.add(wake);
    return () => void awake.delete(wake);
  };
  return { wait: { wokenBy, atMostMs: 3_600_000 }, awake };
};

describe("given a consumption", () => {
  it("when a consumer with a running handler is closed twice, then both closes end", async () => {
    const { consumption } = setUp();
    let finish: (outcome: Outcome) => void = () => undefined;
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const detach = consumption.attach({ concurrency: 1 }, () => {
      begin();
      return new Promise((resolve) => (finish = resolve));
    });
    consumption.push(message(1, "k"));
    await begun;
    const closes = Promise.all([detach(), detach()]);
    finish(ack);
    await closes;
  });

  it("when a message that waits for its retry is dropped, then the next message of its key runs", async () => {
    const { consumption, nextSettled } = setUp();
    const held = nextSettled();
    let ran: () => void = () => undefined;
    const second = new Promise<void>((resolve) => (ran = resolve));
    const detach = consumption.attach({ concurrency: 1 }, async (_, { id }) => {
      if (id === "m1") return { retryInMs: 3_600_000 };
      ran();
      return ack;
    });
    consumption.push(message(1, "k"));
    consumption.push(message(2, "k"));
    await held;
    consumption.forget(({ seq }) => seq === 1);
    await second;
    await detach();
  });

  it("when a handler returns a wait, then the message runs again at the wake-up, and neither run costs a write", async () => {
    const writes: unknown[] = [];
    const { consumption, nextSettled } = setUp(notingWrites(writes));
    const runs: number[] = [];
    const { wait, awake } = waiting();
    const detach = consumption.attach({ concurrency: 1 }, async (_, { attempt }) =>
      runs.push(attempt) === 1 ? { wait } : ack,
    );
    const first = nextSettled();
    consumption.push(message(1, "k"));
    await first;
    const second = nextSettled();
    for (const wake of awake) wake();
    await second;
    await detach();
    expect(runs).toEqual([1, 1]);
    expect(writes).toEqual([]);
  });

  it("when the wake-up comes before the wait begins, then the message runs again at once", async () => {
    const { consumption, nextSettled } = setUp();
    let runs = 0;
    const wait = {
      wokenBy: (wake: () => void) => {
        wake();
        return () => undefined;
      },
      atMostMs: 3_600_000,
    };
    const detach = consumption.attach({ concurrency: 1 }, async () => (++runs === 1 ? { wait } : ack));
    const first = nextSettled();
    consumption.push(message(1, "k"));
    await first;
    await nextSettled();
    await detach();
    expect(runs).toBe(2);
  });

  it("when a suspect message returns a wait, then its run does not count as a failure", async () => {
    const writes: unknown[] = [];
    const { consumption, nextSettled } = setUp(notingWrites(writes));
    const { wait } = waiting();
    const detach = consumption.attach({ concurrency: 1 }, async () => ({ wait }));
    const held = nextSettled();
    consumption.push({ ...message(1, "k"), suspect: true });
    await held;
    consumption.forget(() => true);
    await detach();
    expect(writes).toEqual([
      { attempts: 2, failures: 1 },
      { attempts: 1, failures: 0 },
    ]);
  });

  it("when a waiting message is dropped, then its wake-up is cancelled", async () => {
    const { consumption, nextSettled } = setUp();
    const { wait, awake } = waiting();
    const detach = consumption.attach({ concurrency: 1 }, async () => ({ wait }));
    const held = nextSettled();
    consumption.push(message(1, "k"));
    await held;
    expect(awake.size).toBe(1);
    consumption.forget(() => true);
    expect(awake.size).toBe(0);
    await detach();
  });

  it("when the attempt record of an acknowledged message cannot be deleted, then the message does not run again", async () => {
    const { consumption, nextSettled } = setUp();
    const runs: string[] = [];
    const detach = consumption.attach({ concurrency: 1 }, async (_, { id }) =>
      runs.push(id) === 1 ? { retryInMs: 0 } : ack,
    );
    const first = nextSettled();
    consumption.push(message(1, "k"));
    await first;
    await nextSettled();
    // The next message of the key would wait if the first one were still queued.
    const third = nextSettled();
    consumption.push(message(2, "k"));
    await third;
    await detach();
    expect(runs).toEqual(["m1", "m1", "m2"]);
  });

  it("when messages have no key, then they do not wait for each other", async () => {
    const { consumption } = setUp();
    const running: (() => void)[] = [];
    let both: () => void = () => undefined;
    const together = new Promise<void>((resolve) => (both = resolve));
    const detach = consumption.attach({ concurrency: 2 }, () => {
      if (running.length === 1) both();
      return new Promise((resolve) => running.push(() => resolve(ack)));
    });
    consumption.push(message(1, undefined));
    consumption.push(message(2, undefined));
    await together;
    for (const finish of running) finish();
    await detach();
  });
});

describe("given a suspect message and a slow store", () => {
  const slowly = () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const writes: unknown[] = [];
    const store: Store = {
      ...notingWrites(writes),
      get: async () => {
        await answered;
        return undefined;
      },
    };
    return { store, writes, answer };
  };
  const suspect = { ...message(1, "k"), suspect: true };

  it("when another process owns the message before the store answers, then its handler does not run here", async () => {
    const { store, answer } = slowly();
    const owner = { isHere: true };
    const { consumption, nextSettled } = setUp(store, () => owner.isHere);
    const runs: number[] = [];
    const detach = consumption.attach({ concurrency: 1 }, async (_, { attempt }) => {
      runs.push(attempt);
      return ack;
    });
    const notRun = nextSettled();
    consumption.push(suspect);
    owner.isHere = false;
    answer();
    await notRun;
    expect(runs).toEqual([]);
    const run = nextSettled();
    owner.isHere = true;
    await run;
    expect(runs).toEqual([2]);
    await detach();
  });

  it("when the message will be redelivered, then its handler does not run for the first delivery", async () => {
    const { store, answer } = slowly();
    const { consumption, nextSettled } = setUp(store);
    const runs: number[] = [];
    const detach = consumption.attach({ concurrency: 1 }, async (_, { attempt }) => {
      runs.push(attempt);
      return ack;
    });
    const settled = nextSettled();
    consumption.push(suspect);
    consumption.forget(() => true);
    answer();
    await settled;
    expect(runs).toEqual([]);
    await detach();
  });
});

describe("given a store that is unavailable for a while", () => {
  it("when a handler fails meanwhile, then it does not run again before the failure is stored", async () => {
    const runs: number[] = [];
    let refusals = 0;
    const away: Store = {
      ...brokenDelete,
      put: async () => {
        if (runs.length === 1 && refusals++ < 3) throw new AppError("unavailable", "the disk is full");
        return 1;
      },
    };
    const { consumption, nextSettled } = setUp(away);
    const detach = consumption.attach({ concurrency: 1 }, async (_, { attempt }) => {
      runs.push(attempt);
      if (attempt === 1) throw new AppError("unavailable", "the disk is full");
      return ack;
    });
    let settled = nextSettled();
    consumption.push(message(1, "k"));
    for (let n = 0; n < 5 && runs.length < 2; n++) {
      await settled;
      settled = nextSettled();
    }
    await detach();
    expect(refusals).toBeGreaterThanOrEqual(3);
    expect(runs).toEqual([1, 2]);
  });
});

describe("given two messages whose handlers have thrown twice", () => {
  it("when the third run of one hangs, then the other runs", async () => {
    const { consumption } = setUp();
    const third: string[] = [];
    let free: (outcome: Outcome) => void = () => undefined;
    let both: () => void = () => undefined;
    const together = new Promise<void>((resolve) => (both = resolve));
    const detach = consumption.attach({ concurrency: 2 }, (_, { id, attempt }) => {
      if (attempt < 3) throw new Error("not yet");
      if (third.push(id) === 2) both();
      return third.length === 1 ? new Promise((resolve) => (free = resolve)) : Promise.resolve(ack);
    });
    consumption.push(message(1, "a"));
    consumption.push(message(2, "b"));
    await together;
    free(ack);
    await detach();
  });
});

describe("given a long queue", () => {
  it("when items are taken while others are added, then the order holds", () => {
    const queue = new Fifo<number>();
    const taken: number[] = [];
    for (let n = 0; n < 1_000; n++) {
      queue.push(n);
      if (n % 3 > 0) taken.push(queue.shift() as number);
    }
    queue.keep((n) => n % 2 === 0);
    const firstLeft = queue.first as number;
    while (queue.length > 0) taken.push(queue.shift() as number);
    expect(queue.shift()).toBeUndefined();
    expect(taken.slice(0, 666)).toEqual(Array.from({ length: 666 }, (_, n) => n));
    expect(firstLeft).toBe(666);
    expect(taken.slice(666)).toEqual(Array.from({ length: 167 }, (_, n) => 666 + 2 * n));
  });
});
