import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { AppError } from "../../core/contract/app-error.ts";
import type { Backbone } from "../../core/contract/ports/backbone.ts";
import type { Bus, Consumer, DeadLetter, Handler, Outcome, Received } from "../../core/contract/ports/bus.ts";
import { ack, deadLetterKey, MAX_FAILURES, MAX_ID_LENGTH, MAX_MESSAGE_BYTES } from "../../core/contract/ports/bus.ts";
import type { Subject } from "../../core/contract/ports/subject.ts";
import { Recorder } from "../fakes/recorder.ts";
import type { BackboneHarness, Deployment } from "./backbone-harness.ts";
import type { TestMessage } from "./test-message.ts";
import { testSubject } from "./test-message.ts";

type Handled = TestMessage & { received: Received };

/** Records and acknowledges each message. */
const recording =
  (
    handled: Recorder<Handled>,
    outcome: (message: TestMessage, received: Received) => Outcome = () => ack,
  ): Handler<TestMessage> =>
  async (message, received) => {
    handled.add({ ...message, received });
    return outcome(message, received);
  };

const numbers = (handled: Recorder<Handled>): number[] => handled.items.map((item) => item.n);

export const busContract = (harness: BackboneHarness): void => {
  describe(`the bus on ${harness.name}`, () => {
    let deployment: Deployment;
    let backbone: Backbone;
    let bus: Bus;
    let made = 0;
    const consumers: Consumer[] = [];
    const fresh = (): Subject<TestMessage> => testSubject(`s${++made}`);
    const consume = async (
      on: Bus,
      subject: Subject<TestMessage>,
      handle: Handler<TestMessage>,
      options: { durable?: string; concurrency?: number; from?: "start" | "now" } = {},
    ): Promise<Consumer> => {
      const consumer = await on.consume(subject, { durable: "worker", concurrency: 10, ...options }, handle);
      consumers.push(consumer);
      return consumer;
    };
    const publishAll = (on: Bus, subject: Subject<TestMessage>, count: number, key?: (n: number) => string) =>
      Promise.all(
        Array.from({ length: count }, (_, n) =>
          on.publish(subject, { n }, { id: `m${n}`, ...(key ? { key: key(n) } : {}) }),
        ),
      );

    beforeAll(async () => {
      deployment = await harness.deploy();
      backbone = await deployment.open();
      bus = backbone.bus;
    });
    // Otherwise each process keeps its share of all durables of earlier tests.
    afterEach(() => Promise.all(consumers.splice(0).map((consumer) => consumer.close())));
    afterAll(() => deployment.dispose());

    it("when a message was published before the first consumer attached, then it is handled later", async () => {
      const subject = fresh();
      await bus.publish(subject, { n: 1, text: "early" }, { id: "early" });
      const handled = new Recorder<Handled>();
      await consume(bus, subject, recording(handled));
      const [first] = await handled.count(1);
      expect(first).toMatchObject({ n: 1, text: "early", received: { id: "early", attempt: 1 } });
      expect(Math.abs((first?.received.publishedAt ?? 0) - deployment.clock.now())).toBeLessThan(60_000);
    });

    it("when an id is published again, then it is stored once; on another subject it is another message", async () => {
      const [subject, other] = [fresh(), fresh()];
      const handled = new Recorder<Handled>();
      expect(await bus.publish(subject, { n: 1 }, { id: "same", key: "k" })).toBe("stored");
      expect(await bus.publish(subject, { n: 2 }, { id: "same", key: "k" })).toBe("repeated");
      await bus.publish(subject, { n: 3 }, { id: "last", key: "k" });
      await bus.publish(other, { n: 4 }, { id: "same", key: "k" });
      await consume(bus, subject, recording(handled));
      await handled.until((items) => items.some((item) => item.n === 3));
      expect(numbers(handled)).toEqual([1, 3]);
      const elsewhere = new Recorder<Handled>();
      await consume(bus, other, recording(elsewhere));
      await elsewhere.count(1);
      expect(numbers(elsewhere)).toEqual([4]);
    });

    it("when two durables consume, then each gets everything; with one name they share the work", async () => {
      const subject = fresh();
      const [shared, alone] = [new Recorder<Handled>(), new Recorder<Handled>()];
      const second = (await deployment.open()).bus;
      await consume(bus, subject, recording(shared));
      await consume(second, subject, recording(shared));
      await consume(second, subject, recording(alone), { durable: "other" });
      await publishAll(bus, subject, 60, (n) => `k${n}`);
      await Promise.all([shared.count(60), alone.count(60)]);
      expect(new Set(numbers(shared)).size).toBe(60);
      expect(new Set(numbers(alone)).size).toBe(60);
    });

    it("when a new durable starts from now, then it gets no older message, and misses none while it has no consumer", async () => {
      const subject = fresh();
      const handled = new Recorder<Handled>();
      await bus.publish(subject, { n: 1 }, { id: "old" });
      const consumer = await consume(bus, subject, recording(handled), { from: "now" });
      await bus.publish(subject, { n: 2 }, { id: "new" });
      await handled.count(1);
      await consumer.close();
      await bus.publish(subject, { n: 3 }, { id: "while away" });
      await consume(bus, subject, recording(handled), { from: "now" });
      await handled.count(2);
      expect(numbers(handled)).toEqual([2, 3]);
    });

    it("when keys, pauses and retries vary, then each key is handled in order and one at a time", async () => {
      const step = fc.record({ key: fc.nat(3), pauses: fc.nat(3), retries: fc.nat(2) });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
          const subject = fresh();
          const second = (await deployment.open()).bus;
          const [done, running, faults] = [new Recorder<Handled>(), new Set<number>(), [] as string[]];
          const handle: Handler<TestMessage> = async (message, received) => {
            const { key, pauses, retries } = steps[message.n] as (typeof steps)[number];
            if (running.has(key)) faults.push(`key ${key} ran twice at once`);
            running.add(key);
            for (let n = 0; n < pauses; n++) await new Promise(setImmediate);
            running.delete(key);
            if (received.attempt <= retries) return { retryInMs: 1 };
            done.add({ ...message, received });
            return ack;
          };
          const opened = [await consume(bus, subject, handle), await consume(second, subject, handle)];
          await Promise.all(steps.map(({ key }, n) => bus.publish(subject, { n }, { id: `m${n}`, key: `key ${key}` })));
          await done.count(steps.length);
          for (const key of [0, 1, 2, 3]) {
            const order = numbers(done).filter((n) => steps[n]?.key === key);
            expect(order).toEqual([...order].sort((a, b) => a - b));
          }
          expect(new Set(numbers(done)).size).toBe(steps.length);
          expect(faults).toEqual([]);
          await Promise.all(opened.map((consumer) => consumer.close()));
        }),
        { numRuns: harness.manyProcesses ? 6 : 25 },
      );
    });

    it("when a handler requests a retry, then only its key waits, and the retry has the next attempt number", async () => {
      const subject = fresh();
      const handled = new Recorder<Handled>();
      let refuse = true;
      await consume(
        bus,
        subject,
        recording(handled, ({ n }) => (n === 0 && refuse ? { retryInMs: 30 } : ack)),
      );
      await publishAll(bus, subject, 3, (n) => (n === 2 ? "other" : "held"));
      await handled.until(
        (items) => items.some((item) => item.n === 2) && items.filter((item) => item.n === 0).length > 1,
      );
      expect(numbers(handled)).not.toContain(1);
      refuse = false;
      await handled.until((items) => items.some((item) => item.n === 1));
      const attempts = handled.items.filter((item) => item.n === 0).map((item) => item.received.attempt);
      expect(attempts).toEqual(attempts.map((_, index) => index + 1));
    });

    it("when one key is stuck under a long queue, then another key is not delayed", async () => {
      const subject = fresh();
      const handled = new Recorder<Handled>();
      let free: (outcome: Outcome) => void = () => undefined;
      const stuck = new Promise<Outcome>((resolve) => {
        free = resolve;
      });
      await consume(bus, subject, async (message, received) => {
        handled.add({ ...message, received });
        return message.n === 0 ? stuck : ack;
      });
      await publishAll(bus, subject, 2_000, () => "stuck");
      for (let n = 0; n < 20; n++) await bus.publish(subject, { n: 5_000 + n }, { id: `free ${n}`, key: `free ${n}` });
      await handled.until((items) => items.filter((item) => item.n >= 5_000).length === 20);
      expect(numbers(handled).filter((n) => n < 5_000)).toEqual([0]);
      free(ack);
      await handled.count(2_020);
      expect(numbers(handled).filter((n) => n < 5_000)).toEqual(Array.from({ length: 2_000 }, (_, n) => n));
    });

    it("when messages wait, then the backbone reports how many wait and how many run", async () => {
      const subject = fresh();
      const durable = `counted-${made}`;
      const handled = new Recorder<Handled>();
      let free: () => void = () => undefined;
      const held = new Promise<Outcome>((resolve) => {
        free = () => resolve(ack);
      });
      const depth = () => backbone.queues().find((queue) => queue.durable === durable);
      await consume(
        bus,
        subject,
        async (message, received) => {
          handled.add({ ...message, received });
          return held;
        },
        { durable },
      );
      await publishAll(bus, subject, 7, (n) => (n < 5 ? "one" : `k${n}`));
      await handled.count(3);
      await expect.poll(depth).toMatchObject({ durable, waiting: 4, running: 3 });
      free();
      await handled.count(7);
      await expect.poll(depth).toMatchObject({ durable, waiting: 0, running: 0 });
    });

    it("when a handler returns a dead letter, then it is stored with the reason, and the next message of its key runs", async () => {
      const subject = fresh();
      const handled = new Recorder<Handled>();
      const durable = `rejecting-${made}`;
      await consume(
        bus,
        subject,
        recording(handled, ({ n }) => (n === 0 ? { deadLetter: "the room was deleted" } : ack)),
        { durable },
      );
      await publishAll(bus, subject, 2, () => "k");
      await handled.until((items) => items.some((item) => item.n === 1));
      expect((await backbone.store.get(deadLetterKey(durable, "m0")))?.value).toMatchObject({
        durable,
        id: "m0",
        key: "k",
        message: { n: 0 },
        reason: "the room was deleted",
        attempts: 1,
      });
    });

    it("when a handler throws each time, then it runs a limited number of times and the message becomes a dead letter (F18)", async () => {
      const subject = fresh();
      const handled = new Recorder<Handled>();
      const durable = `thrower-${made}`;
      await consume(
        bus,
        subject,
        async (message, received) => {
          handled.add({ ...message, received });
          if (message.n === 0) throw new Error("the handler failed");
          return ack;
        },
        { durable },
      );
      await publishAll(bus, subject, 2, () => "k");
      await handled.until((items) => items.some((item) => item.n === 1));
      expect(handled.items.filter((item) => item.n === 0).map((item) => item.received.attempt)).toEqual(
        Array.from({ length: MAX_FAILURES }, (_, index) => index + 1),
      );
      const letter = await backbone.store.get(deadLetterKey(durable, "m0"));
      expect(letter?.value.reason).toContain("the handler failed");
    });

    it("when a message becomes a dead letter, then onDeadLetter is retried until it resolves, before the next message of the key runs", async () => {
      const subject = fresh();
      const events: string[] = [];
      const done = new Recorder<Handled>();
      const anything = subject as Subject<unknown>;
      await bus.publish(subject, { n: 0 }, { id: "m0", key: "k" });
      await bus.publish(anything, { n: "seven" }, { id: "odd", key: "k" });
      await bus.publish(subject, { n: 1 }, { id: "m1", key: "k" });
      const options = {
        durable: `notified-${made}`,
        concurrency: 10,
        onDeadLetter: async (message: TestMessage | undefined, letter: DeadLetter) => {
          events.push(`dead letter ${letter.id} ${message?.n}: ${letter.reason.slice(0, 14)}`);
          if (events.length === 2) throw new Error("not ready");
        },
      };
      const consumer = await bus.consume(subject, options, async (message, received) => {
        events.push(`handled ${received.id}`);
        if (message.n === 0) return { deadLetter: "rejected" };
        done.add({ ...message, received });
        return ack;
      });
      consumers.push(consumer);
      await done.count(1);
      expect(events).toEqual([
        "handled m0",
        "dead letter m0 0: rejected",
        "dead letter m0 0: rejected",
        "dead letter odd undefined: does not parse",
        "handled m1",
      ]);
    });

    it("when a dependency of the handler is unavailable for long, then the message does not become a dead letter", async () => {
      const subject = fresh();
      const handled = new Recorder<Handled>();
      const durable = `patient-${made}`;
      const handle: Handler<TestMessage> = async (message, received) => {
        handled.add({ ...message, received });
        if (received.attempt <= MAX_FAILURES + 1) throw new AppError("unavailable", "the store is unavailable");
        return ack;
      };
      await consume(bus, subject, handle, { durable });
      await bus.publish(subject, { n: 0 }, { id: "m0", key: "k" });
      await handled.count(MAX_FAILURES + 2);
      expect(handled.items.map((item) => item.received.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(await backbone.store.get(deadLetterKey(durable, "m0"))).toBeUndefined();
    });

    it("when a stored message does not parse, then it becomes a dead letter and the handler does not run (F31)", async () => {
      const subject = fresh();
      const handled = new Recorder<Handled>();
      const durable = `reader-${made}`;
      const anything = subject as Subject<unknown>;
      await bus.publish(anything, { n: "seven", text: 7 }, { id: "odd", key: "k" });
      await bus.publish(subject, { n: 1 }, { id: "fine", key: "k" });
      await consume(bus, subject, recording(handled), { durable });
      await handled.count(1);
      expect(numbers(handled)).toEqual([1]);
      const letter = await backbone.store.get(deadLetterKey(durable, "odd"));
      expect(letter?.value.message).toEqual({ n: "seven", text: 7 });
      expect(letter?.value.reason).toMatch(/does not parse.*n: .*text: /);
    });

    it("when a newer version published more fields, then they survive (F31)", async () => {
      const subject = fresh();
      const handled = new Recorder<Handled>();
      await bus.publish(subject, { n: 1, addedLater: { deep: [1] } }, { id: "newer" });
      await consume(bus, subject, recording(handled));
      expect((await handled.count(1))[0]).toMatchObject({ n: 1, addedLater: { deep: [1] } });
    });

    it("when a message is too large or has no JSON form, then publish refuses it, and one of the maximum size passes", async () => {
      const subject = fresh();
      const handled = new Recorder<Handled>();
      const huge = bus.publish(subject, { n: 1, text: "x".repeat(10_000_000) }, { id: "huge" });
      await expect(huge).rejects.toMatchObject({ code: "too-large" });
      const cyclic: TestMessage = { n: 2 };
      cyclic.self = cyclic;
      await expect(bus.publish(subject, cyclic, { id: "cyclic" })).rejects.toMatchObject({ code: "bad-input" });
      const text = "x".repeat(MAX_MESSAGE_BYTES - '{"n":3,"text":""}'.length);
      await bus.publish(subject, { n: 3, text }, { id: "largest" });
      await consume(bus, subject, recording(handled));
      expect((await handled.count(1))[0]?.text?.length).toBe(text.length);
    });

    it("when an id is too long, then publish refuses it", async () => {
      const subject = fresh();
      const long = bus.publish(subject, { n: 1 }, { id: "x".repeat(MAX_ID_LENGTH + 1) });
      await expect(long).rejects.toMatchObject({ code: "too-large" });
    });

    it("when the concurrency of a consumer is below 1, then it is refused", async () => {
      await expect(consume(bus, fresh(), async () => ack, { concurrency: 0 })).rejects.toMatchObject({
        code: "bad-input",
      });
    });

    it("when ids, keys and names contain any character, then each message arrives with its own", async () => {
      const any = fc.string({ unit: "binary", maxLength: 30 });
      const names = fc.uniqueArray(fc.tuple(any, any), { minLength: 1, maxLength: 6, selector: ([id]) => id });
      await fc.assert(
        fc.asyncProperty(any, names, async (name, ids) => {
          const subject = testSubject(`${++made} ${name}`);
          const handled = new Recorder<Handled>();
          await Promise.all(ids.map(([id, key], n) => bus.publish(subject, { n }, { id, key })));
          const consumer = await consume(bus, subject, recording(handled), { durable: `any-${made}` });
          await handled.count(ids.length);
          for (const { n, received } of handled.items) expect(received.id).toBe(ids[n]?.[0]);
          await consumer.close();
        }),
        { numRuns: harness.manyProcesses ? 6 : 20 },
      );
    });

    it("when a signal is sent, then all current listeners receive it, and later ones do not", async () => {
      const [subject, other] = [fresh(), fresh()];
      const second = (await deployment.open()).bus;
      const [here, there, late] = [
        new Recorder<TestMessage>(),
        new Recorder<TestMessage>(),
        new Recorder<TestMessage>(),
      ];
      await bus.listen(subject, (message) => {
        here.add(message);
        throw new Error("the listener failed");
      });
      const listener = await second.listen(subject, (message) => there.add(message));
      bus.signal(subject, { n: 1 });
      bus.signal(other, { n: 99 });
      await Promise.all([here.count(1), there.count(1)]);
      listener.close();
      await second.listen(subject, (message) => late.add(message));
      bus.signal(subject, { n: 2 });
      await Promise.all([here.count(2), late.count(1)]);
      expect(here.items).toEqual([{ n: 1 }, { n: 2 }]);
      expect(there.items).toEqual([{ n: 1 }]);
      expect(late.items).toEqual([{ n: 2 }]);
    });

    it("when a consumer closes, then it waits for its handlers, and the other consumers get the rest", async () => {
      const subject = fresh();
      const [first, others] = [new Recorder<Handled>(), new Recorder<Handled>()];
      let finish: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const consumer = await consume(
        bus,
        subject,
        async (message, received) => {
          first.add({ ...message, received });
          await held;
          return ack;
        },
        { concurrency: 1 },
      );
      await publishAll(bus, subject, 10, () => "k");
      await first.count(1);
      let closed = false;
      const closing = consumer.close().then(() => {
        closed = true;
      });
      await new Promise(setImmediate);
      expect(closed).toBe(false);
      finish();
      await closing;
      await consume((await deployment.open()).bus, subject, recording(others));
      await others.count(9);
      expect(numbers(first)).toEqual([0]);
      expect(numbers(others)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });

    it("when handlers are stuck, then the free ones still handle messages of other keys", async () => {
      const subject = fresh();
      const handled = new Recorder<Handled>();
      let free: () => void = () => undefined;
      const stuck = new Promise<Outcome>((resolve) => {
        free = () => resolve(ack);
      });
      await consume(
        bus,
        subject,
        async (message, received) => {
          handled.add({ ...message, received });
          return message.n < 3 ? stuck : ack;
        },
        { concurrency: 4 },
      );
      await publishAll(bus, subject, 50, (n) => `k${n}`);
      await handled.until((items) => items.filter((item) => item.n >= 3).length === 47);
      free();
    });

    it("when the backbone is closed, then calls are refused, and after it is opened again work continues", async () => {
      const subject = fresh();
      await deployment.closeAll();
      await expect(bus.publish(subject, { n: 1 }, { id: "late" })).rejects.toMatchObject({ code: "stopped" });
      backbone = await deployment.open();
      bus = backbone.bus;
      await bus.publish(subject, { n: 2 }, { id: "again" });
      const handled = new Recorder<Handled>();
      await consume(bus, subject, recording(handled));
      await handled.count(1);
    });
  });
};
