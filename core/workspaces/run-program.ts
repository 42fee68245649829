import { spawn } from "node:child_process";

interface ProgramOptions {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Limit for stdout and stderr together; the rest is discarded. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ProgramEnd {
  /** Absent if the program was stopped or could not be started. */
  readonly code?: number;
  readonly output: string;
  /** Says why there is no code, or that the output was cut. */
  readonly remark?: string;
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Runs a program without a shell and without this process's environment. Always ends, at the timeout at the latest. */
export const runProgram = (
  [program = "", ...args]: readonly string[],
  { folder, environment, timeoutMs, maxBytes, signal }: ProgramOptions,
): Promise<ProgramEnd> =>
  new Promise((resolve) => {
    const env = { PATH, LC_ALL: "C.UTF-8", ...environment };
    // A process group of its own, so that its children are killed with it.
    const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let stopped: string | undefined;
    const stop = (why: string): void => {
      stopped ??= why;
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        child.kill("SIGKILL");
      }
    };
    const take = (chunk: Buffer): void => {
      const room = maxBytes - bytes;
      bytes += chunk.length;
      if (room > 0) chunks.push(chunk.subarray(0, room));
    };
    const timer = setTimeout(() => stop(`it took longer than ${Math.round(timeoutMs / 1_000)} s`), timeoutMs);
    const abort = (): void => stop("the call was aborted");
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    const end = (result: Pick<ProgramEnd, "code" | "remark">): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      const cut = bytes > maxBytes ? `only the first ${maxBytes} of ${bytes} bytes are shown` : undefined;
      const remark = result.remark ?? cut;
      const output = new TextDecoder().decode(Buffer.concat(chunks));
      resolve({ ...result, output, ...(remark !== undefined && { remark }) });
    };
    child.once("error", (error) => end({ remark: `it could not be started: ${error.message}` }));
    child.once("close", (code) => {
      if (stopped !== undefined || code === null) end({ remark: stopped ?? "it was killed" });
      else end({ code });
    });
  });
