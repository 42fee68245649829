import { Worker } from "node:worker_threads";
import { AppError } from "../../contract/app-error.ts";

export interface WorkerLimits {
  readonly timeLimitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Growth of the memory of the process while the worker runs. The heap limit of a worker does not cover its buffers. */
  readonly maxGrowthBytes?: number;
}

const MAX_GROWTH_BYTES = 700_000_000;
const WATCH_EVERY_MS = 50;

/**
 * Runs a job in a worker with limits: a hostile document can keep a parser busy for minutes or exhaust the memory, and
 * must not stop other people's work. The worker posts its answer once.
 */
export const runInWorker = <Answer>(file: URL, job: unknown, limits: WorkerLimits): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { timeLimitMs, signal, maxGrowthBytes = MAX_GROWTH_BYTES } = limits;
    const before = process.memoryUsage.rss();
    const worker = new Worker(file, {
      workerData: job,
      execArgv: [],
      // The parsers print warnings about documents, which do not belong into our output.
      stdout: true,
      stderr: true,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 4 },
    });
    const end = () => {
      clearTimeout(timer);
      clearInterval(watch);
      signal?.removeEventListener("abort", stop);
      void worker.terminate();
    };
    const fail = (reason: string) => {
      end();
      reject(new AppError("unavailable", reason));
    };
    const stop = () => fail("the document is no longer needed");
    const timer = setTimeout(() => fail("the document takes too long to read"), timeLimitMs);
    const watch = setInterval(() => {
      if (process.memoryUsage.rss() - before > maxGrowthBytes) fail("the document needs too much memory");
    }, WATCH_EVERY_MS);
    signal?.addEventListener("abort", stop, { once: true });
    worker.once("message", (answer: Answer) => {
      end();
      resolve(answer);
    });
    worker.once("error", ({ message }) => fail(`the document cannot be read: ${message}`));
    worker.once("exit", () => fail("the document cannot be read"));
  });
