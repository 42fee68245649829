import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";

/** A server in a separate process, so that it does not share an event loop with the bench. */
export class ServerProcess {
  /** A directory for the CPU profiles of all servers. */
  static profileDir: string | undefined;
  readonly port: number;
  /** From the start of the process until it listened. */
  readonly startedInMs: number;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: number) => void>();
  #asked = 0;

  private constructor(child: ChildProcess, port: number, startedInMs: number) {
    this.port = port;
    this.startedInMs = startedInMs;
    this.#child = child;
    child.on("message", ({ id, answer }: { id: number; answer: number }) => {
      this.#waiting.get(id)?.(answer);
      this.#waiting.delete(id);
    });
  }

  /** The compiled `<name>-server`, beside the compiled bench. Its log is discarded. */
  static async start(name: string, ...args: string[]): Promise<ServerProcess> {
    const file = join(dirname(process.argv[1] ?? ""), "servers", `${name}-server.js`);
    const begun = performance.now();
    const { profileDir } = ServerProcess;
    const profile = profileDir
      ? ["--cpu-prof", `--cpu-prof-dir=${profileDir}`, `--cpu-prof-name=${name}-${Math.round(begun)}.cpuprofile`]
      : [];
    const child = fork(file, args, {
      execArgv: ["--expose-gc", ...profile],
      stdio: ["ignore", "inherit", "ignore", "ipc"],
    });
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`the ${name} server ended with ${code} before it listened`);
    });
    ended.catch(() => undefined);
    const [{ port }] = (await Promise.race([once(child, "message"), ended])) as [{ port: number }];
    return new ServerProcess(child, port, performance.now() - begun);
  }

  ask(question: string, about = ""): Promise<number> {
    const id = ++this.#asked;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.send({ id, question, about });
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.disconnect();
    await ended;
  }
}
