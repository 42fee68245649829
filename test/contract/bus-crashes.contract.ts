import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ack, deadLetterKey, MAX_FAILURES } from "../../core/contract/ports/bus.ts";
import { Recorder } from "../fakes/recorder.ts";
import type { BackboneHarness, Deployment } from "./backbone-harness.ts";
import type { BackboneProcess, Handling } from "./backbone-process.ts";
import { testSubject } from "./test-message.ts";

const worker = { durable: "worker", concurrency: 8 } as const;

/** The guarantees of the bus when real processes, or the server, are killed. */
export const busCrashesContract = (harness: BackboneHarness): void => {
  describe(`the bus on ${harness.name}, when processes are killed`, () => {
    let deployment: Deployment;
    const processes: BackboneProcess[] = [];
    const spawn = async (): Promise<BackboneProcess> => {
      const started = await deployment.spawn();
      processes.push(started);
      return started;
    };
    /** The process that takes over: a running one where several can share the data, otherwise the next one. */
    const successor = async (crashing: BackboneProcess, subject: string): Promise<BackboneProcess> => {
      if (!harness.manyProcesses) await crashing.kill();
      const next = await spawn();
      await next.consume(subject, worker);
      if (harness.manyProcesses) await crashing.kill();
      return next;
    };

    beforeEach(async () => {
      deployment = await harness.deploy();
    });
    afterEach(async () => {
      await Promise.all(processes.splice(0).map((each) => each.kill()));
      await deployment.dispose();
    });

    it("when a process is killed after publish resolved, then no resolved message is lost", async () => {
      const publisher = await spawn();
      const resolved = new Recorder<number>();
      const publishing = Promise.allSettled(
        Array.from({ length: 500 }, async (_, n) => {
          await publisher.publish("p", { n }, { id: `m${n}`, key: `k${n % 7}` });
          resolved.add(n);
        }),
      );
      await resolved.count(100);
      await publisher.kill();
      await publishing;
      const consumer = await spawn();
      consumer.acknowledgeAll();
      await consumer.consume("p", worker);
      await consumer.handling.until((items) => {
        const handled = new Set(items.map((item) => item.n));
        return resolved.items.every((n) => handled.has(n));
      });
    });

    it("when a process is killed in the middle of a handler, then another one runs the message, and its key stays in order", async () => {
      const first = await spawn();
      await first.consume("d", worker);
      for (let n = 0; n < 12; n++) await first.publish("d", { n }, { id: `m${n}`, key: `k${n % 3}` });
      await first.handling.count(3);
      const second = await successor(first, "d");
      second.acknowledgeAll();
      await second.handling.until((items) => new Set(items.map((item) => item.n)).size === 12);
      for (const key of [0, 1, 2]) {
        const order = second.handling.items.map((item) => item.n).filter((n) => n % 3 === key);
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }
      const interrupted = second.handling.items.filter((item) => item.n < 3);
      expect(interrupted.map((item) => item.attempt)).toEqual([2, 2, 2]);
    });

    it("when messages had ended before their process was killed, then they do not run again", async () => {
      const first = await spawn();
      first.acknowledgeAll();
      await first.consume("e", worker);
      for (let n = 0; n < 20; n++) await first.publish("e", { n }, { id: `m${n}`, key: "k" });
      await first.handling.count(20);
      // The message has the same key, so it runs only after all earlier ones have ended.
      await first.publish("e", { n: 20 }, { id: "m20", key: "k" });
      await first.handling.count(21);
      const second = await successor(first, "e");
      second.acknowledgeAll();
      await second.publish("e", { n: 21 }, { id: "m21", key: "k" });
      await second.handling.until((items) => items.some((item) => item.n === 21));
      expect(second.handling.items.map((item) => item.n).filter((n) => n < 20)).toEqual([]);
    });

    it("when a process is killed while a message waits for its retry, then the message runs again before the next one of its key", async () => {
      const first = await spawn();
      await first.consume("r", worker);
      for (let n = 0; n < 3; n++) await first.publish("r", { n }, { id: `m${n}`, key: "k" });
      const [held] = await first.handling.count(1);
      await first.decide(held as Handling, { retryInMs: 3_600_000 });
      const second = await successor(first, "r");
      second.acknowledgeAll();
      await second.handling.count(3);
      expect(second.handling.items.map((item) => item.n)).toEqual([0, 1, 2]);
    });

    it("when a message crashes each process that handles it, then it becomes a dead letter and onDeadLetter is called, and its neighbours run (F18)", async () => {
      const publisher = await spawn();
      const ids = ["a", "poison", "b"];
      for (const [n, id] of ids.entries()) await publisher.publish("x", { n }, { id, key: id });
      await publisher.kill();
      const handled = new Set<string>();
      let crashes = 0;
      let hasCrashed = true;
      const deadLetters: { id: string; n: number | undefined }[] = [];
      while (hasCrashed) {
        const next = await spawn();
        next.acknowledgeAll();
        await next.consume("x", worker, "poison").catch(() => undefined);
        const settled = next.handling
          .until((items) => new Set([...handled, ...items.map((item) => item.id)]).size === 2)
          .then(() => next.publish("x", { n: 9 }, { id: `probe ${crashes}`, key: "poison" }))
          .then(() => next.handling.until((items) => items.some((item) => item.n === 9)))
          .then(() => "settled" as const);
        const crashed = next.exited.then(() => "crashed" as const);
        hasCrashed = (await Promise.race([settled.catch(() => crashed), crashed])) === "crashed";
        for (const item of next.handling.items) handled.add(item.id);
        if (hasCrashed) crashes++;
        deadLetters.push(...next.deadLetters.items);
        await next.kill();
      }
      expect(crashes).toBeGreaterThanOrEqual(MAX_FAILURES);
      expect(crashes).toBeLessThanOrEqual(MAX_FAILURES + 1);
      expect(deadLetters).toEqual([{ id: "poison", n: 1 }]);
      const { store } = await deployment.open();
      expect((await store.get(deadLetterKey("worker", "poison")))?.value.reason).toMatch(/ended without an outcome/);
      expect(await store.get(deadLetterKey("worker", "a"))).toBeUndefined();
      expect(await store.get(deadLetterKey("worker", "b"))).toBeUndefined();
      expect(handled).toContain("a");
      expect(handled).toContain("b");
    });

    if (harness.manyProcesses) {
      it("when a process is suspended for longer than its lease and resumes, then another one has taken over, in order (F7)", async () => {
        const first = await spawn();
        await first.consume("z", worker);
        for (let n = 0; n < 6; n++) await first.publish("z", { n }, { id: `m${n}`, key: `k${n % 2}` });
        const stalled = await first.handling.count(2);
        const second = await spawn();
        await second.consume("z", worker);
        await first.kill("SIGSTOP");
        second.acknowledgeAll();
        await second.handling.until((items) => new Set(items.map((item) => item.n)).size === 6);
        await first.kill("SIGCONT");
        await Promise.all(stalled.map((handling) => first.decide(handling, ack)));
        await second.publish("z", { n: 6 }, { id: "m6", key: "k0" });
        first.acknowledgeAll();
        await Promise.race(
          [first, second].map((each) => each.handling.until((items) => items.some((item) => item.n === 6))),
        );
        for (const key of [0, 1]) {
          const order = second.handling.items.map((item) => item.n).filter((n) => n % 2 === key);
          expect(order).toEqual([...order].sort((a, b) => a - b));
        }
        expect(first.handling.items.filter((item) => item.n > 1 && item.n < 6)).toEqual([]);
      });
    }

    if (harness.hasServer) {
      it("when the server is killed in the middle, then each message is handled, in order, and no publish is lost", async () => {
        const { bus } = await deployment.open();
        const other = (await deployment.open()).bus;
        const subject = testSubject("server");
        const handled = new Recorder<number>();
        const handle = async ({ n }: { n: number }) => {
          handled.add(n);
          return ack;
        };
        await bus.consume(subject, worker, handle);
        await other.consume(subject, worker, handle);
        const publishing = (async () => {
          for (let n = 0; n < 400; n += 10) {
            await Promise.all(
              Array.from({ length: 10 }, (_, k) =>
                bus.publish(subject, { n: n + k }, { id: `m${n + k}`, key: `k${k}` }),
              ),
            );
          }
        })();
        await handled.count(50);
        await deployment.restartServer();
        await publishing;
        await handled.until((items) => new Set(items).size === 400);
        for (let key = 0; key < 10; key++) {
          const firsts = [...new Set(handled.items.filter((n) => n % 10 === key))];
          expect(firsts).toEqual([...firsts].sort((a, b) => a - b));
        }
      });
    }
  });
};
