import { spawn } from "node:child_process";

export interface ProgramOptions {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Of its output, both kinds together. What comes after is thrown away. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ProgramEnd {
  /** Absent: it was stopped, or could not be started. */
  readonly code?: number;
  readonly output: string;
  /** Why there is no code, in words; or that there was more output. */
  readonly remark?: string;
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Runs a list of arguments: no shell, nothing of this process's environment, and an end in any case. */
export const runProgram = (
  [program = "", ...args]: readonly string[],
  { folder, environment, timeoutMs, maxBytes, signal }: ProgramOptions,
): Promise<ProgramEnd> =>
  new Promise((resolve) => {
    const env = { PATH, LC_ALL: "C.UTF-8", ...environment };
    // In a group of its own, so that what it has started ends with it.
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
    const abort = (): void => stop("nobody waits for it any more");
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
