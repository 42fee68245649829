import { once } from "node:events";
import { WebSocket } from "ws";

interface FunctionCoverage {
  readonly functionName: string;
  readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly FunctionCoverage[];
}

/** Names of the functions that ran, by source file. */
export type CalledFunctions = ReadonlyMap<string, readonly string[]>;

/** Counts the calls of functions in another process, through its inspector. */
export class PreciseCoverage {
  readonly #socket: WebSocket;
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** `url`: as Node prints it after "Debugger listening on". */
  static async connect(url: string): Promise<PreciseCoverage> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    await once(socket, "open");
    const coverage = new PreciseCoverage(socket);
    await coverage.#call("Profiler.enable");
    await coverage.#call("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    return coverage;
  }

  /** The functions of files under `root` that ran since the last call. */
  async calledSince(root: string): Promise<CalledFunctions> {
    const { result } = (await this.#call("Profiler.takePreciseCoverage")) as { result: readonly ScriptCoverage[] };
    const called = new Map<string, readonly string[]>();
    for (const { url, functions } of result) {
      const path = decodeURIComponent(new URL(url, "file:").pathname);
      const names = functions.filter(isCalled).map(({ functionName }) => functionName || "(anonymous)");
      if (path.startsWith(root) && names.length > 0) called.set(path.slice(root.length), names);
    }
    return called;
  }

  close(): void {
    this.#socket.terminate();
  }

  #call(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#last;
    return new Promise((resolve) => {
      const onMessage = (data: unknown) => {
        const answer = JSON.parse(String(data));
        if (answer.id !== id) return;
        this.#socket.off("message", onMessage);
        resolve(answer.result);
      };
      this.#socket.on("message", onMessage);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}

/** The function that begins at 0 is the module itself, which ran when it was loaded. */
const isCalled = ({ ranges }: FunctionCoverage): boolean =>
  ranges.some(({ startOffset, count }) => startOffset > 0 && count > 0);
