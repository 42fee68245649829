import type { PoolRunnerInitializer, PoolWorker } from "vitest/node";
import { ThreadsPoolWorker } from "vitest/node";

type Listener = Parameters<PoolWorker["on"]>[1];

/** Number of runs before a new thread replaces the old one, because each run leaks a message listener. */
const MAX_RUNS = 200;

/**
 * A vitest pool that reuses its thread. Stryker starts a run for each mutant; with a new thread for each, loading the
 * modules would take ten times as long as most tests.
 */
export const reusedThread = (): PoolRunnerInitializer => {
  let thread: ThreadsPoolWorker | undefined;
  let runs = 0;
  return {
    name: "reused-thread",
    createPoolWorker(options): PoolWorker {
      const listeners: { event: string; listener: Listener }[] = [];
      const current = () => {
        if (thread === undefined) throw new Error("the thread has not started");
        return thread;
      };
      return {
        name: "reused-thread",
        on(event, listener) {
          listeners.push({ event, listener });
          current().on(event, listener);
        },
        off(event, listener) {
          current().off(event, listener);
        },
        send(message) {
          if (message.type !== "stop") return current().send(message);
          const stopped = { type: "stopped", __vitest_worker_response__: true };
          for (const { event, listener } of listeners) if (event === "message") queueMicrotask(() => listener(stopped));
        },
        async start() {
          if (thread !== undefined && runs++ < MAX_RUNS) return;
          await thread?.stop();
          runs = 0;
          thread = new ThreadsPoolWorker(options);
          await thread.start();
        },
        async stop() {
          for (const { event, listener } of listeners) current().off(event, listener);
        },
        deserialize: (data) => data,
      };
    },
  };
};
