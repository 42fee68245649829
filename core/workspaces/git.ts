import { AppError } from "../contract/app-error.ts";
import { runProgram } from "./run-program.ts";

/** Whatever a repository has configured to run by itself stays off: a subtask may have written what it would run. */
const ALWAYS = [
  ...["core.hooksPath=/dev/null", "core.fsmonitor=false", "commit.gpgsign=false", "gc.auto=0"],
  ...["user.name=Mooring", "user.email=mooring@localhost", "advice.detachedHead=false", "core.quotePath=false"],
].flatMap((setting) => ["-c", setting]);

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** git in one folder. A command that fails throws with what git said. */
export class Git {
  readonly folder: string;
  readonly #environment: Readonly<Record<string, string>>;

  constructor(folder: string, environment: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.#environment = { ...environment, GIT_TERMINAL_PROMPT: "0" };
  }

  in(folder: string): Git {
    return new Git(folder, this.#environment);
  }

  async run(...args: readonly string[]): Promise<string> {
    const { code, output, remark } = await this.attempt(...args);
    if (code === 0) return output;
    const said = [remark, output.trim()].filter(Boolean).join(": ");
    throw new AppError("unavailable", `git ${args[0]} failed in ${this.folder}: ${said}`);
  }

  /** Also what ends otherwise than with 0. */
  attempt(...args: readonly string[]) {
    const options = { folder: this.folder, environment: this.#environment, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    return runProgram(["git", ...ALWAYS, ...args], options);
  }

  async succeeds(...args: readonly string[]): Promise<boolean> {
    return (await this.attempt(...args)).code === 0;
  }
}
