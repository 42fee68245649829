import { chmod, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ENV_FILE, type StarterFiles } from "../../../config/index.ts";
import { AppError } from "../../../core/contract/app-error.ts";

export interface WrittenFiles {
  readonly config: string;
  /** Only its owner may read it. Absent without secrets. */
  readonly env?: string;
}

export const alreadyExists = (file: string): AppError =>
  new AppError(
    "bad-configuration",
    `${file} already exists: choose another file with --output, or overwrite it with --force`,
  );

/** Replaces an existing configuration only with `force`. Keeps unrelated lines of the env file. */
export const writeFiles = async (file: string, { yaml, env }: StarterFiles, force: boolean): Promise<WrittenFiles> => {
  try {
    await writeFile(file, yaml, { flag: force ? "w" : "wx" });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") throw alreadyExists(file);
    throw new AppError("bad-configuration", `could not write ${file} (${code}): choose another file with --output`);
  }
  if (env === "") return { config: file };
  const envFile = join(dirname(file), ENV_FILE);
  const before = await readFile(envFile, "utf8").catch(() => "");
  await writeFile(envFile, `${withoutNamesOf(env, before)}${env}`, { mode: 0o600 });
  await chmod(envFile, 0o600);
  return { config: file, env: envFile };
};

const withoutNamesOf = (env: string, before: string): string => {
  const names = new Set(env.split("\n").map(nameOf));
  const remaining = before.split("\n").filter((line) => line === "" || !names.has(nameOf(line)));
  const text = remaining.join("\n");
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
};

const nameOf = (line: string): string => line.split("=")[0]?.trim() ?? "";
