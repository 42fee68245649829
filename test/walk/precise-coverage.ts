import { once } from "node:events";
import { WebSocket } from "ws";

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

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

  /** The source files with at least one function that ran since the last call, from `root` on. */
  async filesSince(root: string): Promise<Set<string>> {
    const { result } = (await this.#call("Profiler.takePreciseCoverage")) as { result: readonly ScriptCoverage[] };
    const ran = result.filter(({ functions }) => functions.some(isCalledFunction));
    const paths = ran.map(({ url }) => decodeURIComponent(new URL(url, "file:").pathname));
    return new Set(paths.filter((path) => path.startsWith(root)).map((path) => path.slice(root.length)));
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
const isCalledFunction = ({ ranges }: ScriptCoverage["functions"][number]): boolean =>
  ranges.some(({ startOffset, count }) => startOffset > 0 && count > 0);
