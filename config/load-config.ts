import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { parseConfig } from "./parse-config.ts";
import { ConfigInvalid } from "./problems/problem.ts";
import type { Environment } from "./read/substitute-env.ts";
import type { Config } from "./schema/config.ts";

interface LoadConfigOptions {
  /** From `--config`; defaults to MOORING_CONFIG, then to the shipped `mooring.yaml`. */
  readonly file?: string | undefined;
  readonly env?: Environment;
}

/** The only reader of the environment. Throws ConfigInvalid with all problems at once; the result is frozen. */
export const loadConfig = ({ file, env = process.env }: LoadConfigOptions = {}): Config => {
  const path = configFile({ file, env });
  return besideFile(parseConfig({ file: path, text: readText(path), env: { ...readEnvFile(path), ...env } }), path);
};

/** Modules are relative to the configuration file, not to the working directory. */
const besideFile = (config: Config, file: string): Config => {
  const { moderation } = config;
  if (moderation?.module === undefined) return config;
  const module = resolve(dirname(file), moderation.module);
  return Object.freeze({ ...config, moderation: Object.freeze({ ...moderation, module }) });
};

export const configFile = ({ file, env = process.env }: LoadConfigOptions = {}): string =>
  file ?? (env.MOORING_CONFIG || SHIPPED);

/** The build copies this file beside its bundle, so the path is valid there as well. */
const SHIPPED = fileURLToPath(new URL("./mooring.yaml", import.meta.url));

/** Keeps parsing fast; real files are far smaller. */
const MAX_BYTES = 256 * 1024;

const readText = (file: string): string => {
  const refuse = (message: string): never => {
    throw new ConfigInvalid(file, [{ path: "", message }]);
  };
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const code = codeOf(error);
    const why = code === "ENOENT" ? "file not found" : `could not read the file (${code})`;
    return refuse(`${why}: set --config or MOORING_CONFIG to a readable file`);
  }
  if (bytes.length > MAX_BYTES)
    return refuse(`the file has ${bytes.length} bytes, the maximum is ${MAX_BYTES}: make it smaller`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return refuse("the file is not UTF-8: save it as UTF-8");
  }
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown error";

export const ENV_FILE = ".env";

export const envFileOf = (configFile: string): string => join(dirname(configFile), ENV_FILE);

/** Reads the `.env` file beside a configuration; empty if there is none. The process environment takes precedence. */
const readEnvFile = (configFile: string): Environment => {
  let text: string;
  try {
    text = readFileSync(envFileOf(configFile), "utf8");
  } catch {
    return {};
  }
  return parseEnv(text) as Environment;
};
