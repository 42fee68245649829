import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { messageOf } from "../../../contract/app-error.ts";
import type { Clock } from "../../../contract/ports/clock.ts";
import type { Logger } from "../../../contract/ports/logger.ts";
import { ProcessRecords } from "./process-records.ts";
import { identityOf, type ProcessIdentity } from "./process-table.ts";
import { serverEnvironment } from "./server-environment.ts";

export type ChildProgram = ChildProcessByStdio<Writable, Readable, Readable>;

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

/** A server ends by itself when its input ends; then it gets SIGTERM, then SIGKILL. */
const END_OF_INPUT_MS = 500;
const SIGTERM_MS = 1_500;

export interface GroupDeps {
  /** The folder of the records of running programs. */
  readonly dataDir: string;
  /** The environment of this process; programs inherit a few variables of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The child processes of this process, each with a process group of its own, so that it ends with all that it started. */
export class ChildGroups {
  readonly records: ProcessRecords;
  readonly #instance = randomUUID();
  readonly #environment: GroupDeps["environment"];
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #running = new Map<ChildProgram, ProcessIdentity | undefined>();
  /** The last chance if this process ends without a stop. */
  readonly #onExit = () => {
    for (const { pid } of this.#running.keys()) if (pid !== undefined) signalGroup(pid, "SIGKILL");
  };

  constructor({ dataDir, environment, clock, logger }: GroupDeps) {
    this.records = new ProcessRecords(dataDir);
    this.#environment = environment;
    this.#clock = clock;
    this.#logger = logger;
  }

  start({ command, args, env, cwd }: Program): ChildProgram {
    if (this.#running.size === 0) {
      this.#record();
      process.once("exit", this.#onExit);
    }
    const child = spawn(command, args, {
      env: serverEnvironment(this.#environment, env, this.#instance),
      ...(cwd !== undefined && { cwd }),
      stdio: ["pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    this.#running.set(child, child.pid === undefined ? undefined : identityOf(child.pid));
    this.#record();
    child.once("exit", () => this.#ended(child));
    // Without a listener, a program that does not exist would end this process.
    child.once("error", () => child.pid === undefined && this.#ended(child));
    return child;
  }

  /** Resolves once the program and everything in its group has ended. */
  async stop(child: ChildProgram): Promise<void> {
    const { pid } = child;
    if (pid === undefined) return;
    const over = hasExited(child) ? Promise.resolve() : once(child, "exit").then(() => undefined);
    child.stdin.end();
    if (!(await this.#within(over, END_OF_INPUT_MS))) {
      signalGroup(pid, "SIGTERM");
      await this.#within(over, SIGTERM_MS);
    }
    // Also after a clean exit: the program may have left processes of its own.
    signalGroup(pid, "SIGKILL");
    await this.#within(over, SIGTERM_MS);
    child.stdout.destroy();
    child.stderr.destroy();
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((child) => this.stop(child)));
  }

  #ended(child: ChildProgram): void {
    if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
    if (!this.#running.delete(child)) return;
    if (this.#running.size > 0) {
      this.#record();
      return;
    }
    process.removeListener("exit", this.#onExit);
    this.records.remove(this.#instance);
  }

  #record(): void {
    try {
      this.records.write(
        this.#instance,
        [...this.#running.values()].flatMap((identity) => identity ?? []),
      );
    } catch (error) {
      this.#logger.warn(
        { error: messageOf(error) },
        "could not record tool processes, a crash would leave them running",
      );
    }
  }

  async #within(over: Promise<void>, ms: number): Promise<boolean> {
    let timer = { cancel() {} };
    const late = new Promise<boolean>((resolve) => {
      timer = this.#clock.after(ms, () => resolve(false));
    });
    const inTime = await Promise.race([over.then(() => true), late]);
    timer.cancel();
    return inTime;
  }
}

const hasExited = ({ exitCode, signalCode }: ChildProgram): boolean => exitCode !== null || signalCode !== null;

/** A group without processes is ignored. */
export const signalGroup = (leader: number, signal: "SIGTERM" | "SIGKILL"): void => {
  try {
    process.kill(process.platform === "win32" ? leader : -leader, signal);
  } catch {
    // All its processes have ended.
  }
};
