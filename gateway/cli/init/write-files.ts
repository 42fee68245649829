import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { ENV_FILE, type StarterFiles } from "../../../config/index.ts";
import { AppError } from "../../../core/contract/app-error.ts";

export interface WrittenFiles {
  readonly config: string;
  /** Only its owner may read it. Absent without secrets, and if the person keeps their own. */
  readonly env?: string;
  /** Variables that the configuration needs and the kept env file does not set. */
  readonly unset?: readonly string[];
}

/** An env file that is there already, and that the answers would change. */
export interface EnvChange {
  readonly file: string;
  readonly added: readonly string[];
  readonly replaced: readonly string[];
}

export const alreadyExists = (file: string): AppError =>
  new AppError(
    "bad-configuration",
    `${file} already exists: choose another file with --output, or overwrite it with --force`,
  );

/** Absent if there is no env file beside the configuration, or if it has these secrets already. */
export const envChange = async (config: string, { env }: StarterFiles): Promise<EnvChange | undefined> => {
  const file = join(dirname(config), ENV_FILE);
  const before = env === "" ? undefined : await textOf(file);
  if (before === undefined) return undefined;
  const present = parseEnv(before);
  const changed = Object.entries(parseEnv(env)).filter(([name, value]) => present[name] !== value);
  if (changed.length === 0) return undefined;
  const names = changed.map(([name]) => name);
  return {
    file,
    added: names.filter((name) => present[name] === undefined),
    replaced: names.filter((name) => present[name] !== undefined),
  };
};

interface WriteOptions {
  /** Replaces an existing configuration. */
  readonly force: boolean;
  /** Leaves an existing env file as it is. */
  readonly keepEnv: boolean;
}

/** Keeps unrelated lines of the env file. */
export const writeFiles = async (
  file: string,
  { yaml, env }: StarterFiles,
  { force, keepEnv }: WriteOptions,
): Promise<WrittenFiles> => {
  try {
    await writeFile(file, yaml, { flag: force ? "w" : "wx" });
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") throw alreadyExists(file);
    throw new AppError("bad-configuration", `could not write ${file} (${code}): choose another file with --output`);
  }
  if (env === "") return { config: file };
  const envFile = join(dirname(file), ENV_FILE);
  const before = (await textOf(envFile)) ?? "";
  if (keepEnv) {
    const present = parseEnv(before);
    const unset = Object.keys(parseEnv(env)).filter((name) => !present[name]);
    return { config: file, ...(unset.length > 0 && { unset }) };
  }
  // Written beside it and renamed, so that a crash leaves the old file or the new one.
  const draft = `${envFile}.${process.pid}.tmp`;
  await writeFile(draft, `${withoutNamesOf(env, before)}${env}`, { mode: 0o600, flag: "wx" });
  await chmod(draft, 0o600);
  await rename(draft, envFile);
  return { config: file, env: envFile };
};

const textOf = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new AppError("bad-configuration", `could not read ${file} (${codeOf(error)}): make it readable, or move it`);
  }
};

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);

const withoutNamesOf = (env: string, before: string): string => {
  const names = new Set(env.split("\n").map(nameOf));
  const remaining = before.split("\n").filter((line) => line === "" || !names.has(nameOf(line)));
  const text = remaining.join("\n");
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
};

const nameOf = (line: string): string => line.split("=")[0]?.trim() ?? "";
