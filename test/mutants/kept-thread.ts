import type { PoolRunnerInitializer, PoolWorker } from "vitest/node";
import { ThreadsPoolWorker } from "vitest/node";

type Listener = Parameters<PoolWorker["on"]>[1];

/** The runs of a thread before a new one replaces it: each run leaves a message listener behind. */
const MAX_RUNS = 200;

/**
 * A vitest pool that keeps its thread from run to run. Stryker starts a run for each mutant, and vitest would start a
 * thread and load all modules for each of them, which takes ten times as long as most tests.
 */
export const keptThread = (): PoolRunnerInitializer => {
  let thread: ThreadsPoolWorker | undefined;
  let runs = 0;
  return {
    name: "kept-thread",
    createPoolWorker(options): PoolWorker {
      const heard: { event: string; listener: Listener }[] = [];
      const current = () => {
        if (thread === undefined) throw new Error("the thread has not started");
        return thread;
      };
      return {
        name: "kept-thread",
        on(event, listener) {
          heard.push({ event, listener });
          current().on(event, listener);
        },
        off(event, listener) {
          current().off(event, listener);
        },
        send(message) {
          if (message.type !== "stop") return current().send(message);
          const stopped = { type: "stopped", __vitest_worker_response__: true };
          for (const { event, listener } of heard) if (event === "message") queueMicrotask(() => listener(stopped));
        },
        async start() {
          if (thread !== undefined && runs++ < MAX_RUNS) return;
          await thread?.stop();
          runs = 0;
          thread = new ThreadsPoolWorker(options);
          await thread.start();
        },
        async stop() {
          for (const { event, listener } of heard) current().off(event, listener);
        },
        deserialize: (data) => data,
      };
    },
  };
};
