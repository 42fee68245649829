import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { loadForeignAdapters } from "./foreign/load-adapters.ts";
import { checkConfig, namedAdapters, type ReadConfig, readConfig } from "./parse-config.ts";
import { ConfigInvalid } from "./problems/problem.ts";
import { secretFilePath } from "./read/secret-file.ts";
import type { Environment } from "./read/substitute-references.ts";
import type { Config } from "./schema/config.ts";
import { configJsonSchema } from "./schema/json-schema.ts";

interface LoadConfigOptions {
  /** From `--config`; defaults to MOORING_CONFIG, then to the shipped `mooring.yaml`. */
  readonly file?: string | undefined;
  readonly env?: Environment;
}

/**
 * The only reader of the environment. Loads the adapters that the file names. Rejects with ConfigInvalid and all problems
 * at once; the result is frozen.
 */
export const loadConfig = async ({ file, env = process.env }: LoadConfigOptions = {}): Promise<Config> => {
  const path = configFile({ file, env });
  return (await checkText(path, readText(path), env)).config;
};

/** The configuration in a text, as if the file had it. Rejects with ConfigInvalid. */
export const checkText = async (
  path: string,
  text: string,
  env: Environment,
): Promise<{ readonly config: Config; readonly read: ReadConfig }> => {
  const read = readConfig({ file: path, text, env: { ...readEnvFile(path), ...env } });
  const config = checkConfig(read, await loadForeignAdapters(namedAdapters(read), path));
  return { config: besideFile(config, path), read };
};

/** The JSON schema of the file for editors, with the settings of the adapters that it names. */
export const loadSchema = async ({ file, env = process.env }: LoadConfigOptions = {}): Promise<object> => {
  const path = configFile({ file, env });
  const read = readFrom(path, env);
  return configJsonSchema(await loadForeignAdapters(namedAdapters(read), path));
};

/** The absolute paths of the files that values of the configuration come from, each once. */
export const secretFilesOf = ({ file, env = process.env }: LoadConfigOptions = {}): string[] => {
  const path = configFile({ file, env });
  return [...new Set(readFrom(path, env).filled.secretFiles.map((named) => secretFilePath(named, path)))];
};

/** The reference that a value comes from, such as `${OPENAI_API_KEY}` at `agents[0].model.apiKey`. */
export const referencesOf = ({ file, env = process.env }: LoadConfigOptions = {}): ReadonlyMap<string, string> =>
  readFrom(configFile({ file, env }), env).filled.references;

const readFrom = (path: string, env: Environment): ReadConfig =>
  readConfig({ file: path, text: readText(path), env: { ...readEnvFile(path), ...env } });

/** Modules are relative to the configuration file, not to the working directory. */
const besideFile = (config: Config, file: string): Config => {
  const beside = (module: string) => resolve(dirname(file), module);
  const { moderation } = config;
  const agents = config.agents.map((agent) =>
    Object.freeze({ ...agent, tools: agent.tools.map((tool) => (typeof tool === "string" ? beside(tool) : tool)) }),
  );
  return Object.freeze({
    ...config,
    agents,
    ...(moderation?.module !== undefined && {
      moderation: Object.freeze({ ...moderation, module: beside(moderation.module) }),
    }),
  });
};

/** For programs that inherit a few variables of it. */
export const ownEnvironment = (): Environment => process.env;

export const configFile = ({ file, env = process.env }: LoadConfigOptions = {}): string =>
  file ?? (env.MOORING_CONFIG || SHIPPED);

/** The build copies this file beside its bundle, so the path is valid there as well. */
const SHIPPED = fileURLToPath(new URL("./mooring.yaml", import.meta.url));

export const isShipped = (path: string): boolean => path === SHIPPED;

/** Keeps parsing fast; real files are far smaller. */
const MAX_BYTES = 256 * 1024;

export const readText = (file: string): string => {
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
