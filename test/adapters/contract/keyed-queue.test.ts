import { describe, expect, it } from "vitest";
import { KeyedQueue } from "../../../adapters/contract/keyed-queue.ts";

const gate = () => {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
};

describe("given a keyed queue", () => {
  it("when work under one key takes longer than work behind it, then the results come in order", async () => {
    const queue = new KeyedQueue();
    const slow = gate();
    const ended: string[] = [];
    const first = queue.run("room", () => slow.promise.then(() => ended.push("first")));
    const second = queue.after("room", Promise.resolve()).then(() => ended.push("second"));
    await queue.run("other room", async () => ended.push("other"));
    expect(ended).toEqual(["other"]);
    slow.resolve();
    await Promise.all([first, second, queue.idle()]);
    expect(ended).toEqual(["other", "first", "second"]);
  });

  it("when started work fails before its turn, then its caller gets the failure and the queue continues", async () => {
    const queue = new KeyedQueue();
    const slow = gate();
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      const first = queue.run("room", () => slow.promise);
      const failed = queue
        .after("room", Promise.reject(new Error("no profile")))
        .catch((error: Error) => error.message);
      await new Promise(setImmediate);
      slow.resolve();
      expect([await first, await failed, await queue.run("room", async () => "next")]).toEqual([
        undefined,
        "no profile",
        "next",
      ]);
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
    }
  });
});
