import { AppError } from "../contract/app-error.ts";
import { driversOff, FIXED_SETTINGS, FIXED_VARIABLES, type GitSetting, settingVariables } from "./git-settings.ts";
import { type ProgramEnd, runProgram } from "./run-program.ts";

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** git in one folder, running no program that the repository configures. A command that fails throws with git's output. */
export class Git {
  readonly folder: string;
  readonly #environment: Readonly<Record<string, string>>;

  constructor(folder: string, environment: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.#environment = environment;
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

  /** Returns the end of the command, whatever its exit code. */
  async attempt(...args: readonly string[]): Promise<ProgramEnd> {
    // Read before every command, because a command of a subtask can write it.
    const listed = await this.#git(["config", "--list", "--name-only", "-z"], FIXED_SETTINGS);
    if (listed.code !== 0 || listed.remark !== undefined) return listed;
    return this.#git(args, [...FIXED_SETTINGS, ...driversOff(listed.output.split("\0"))]);
  }

  async succeeds(...args: readonly string[]): Promise<boolean> {
    return (await this.attempt(...args)).code === 0;
  }

  #git(args: readonly string[], settings: readonly GitSetting[]): Promise<ProgramEnd> {
    const environment = { ...this.#environment, ...FIXED_VARIABLES, ...settingVariables(settings) };
    const options = { folder: this.folder, environment, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    return runProgram(["git", ...args], options);
  }
}
