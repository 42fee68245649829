import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseConfig } from "./parse-config.ts";
import { ConfigInvalid } from "./problems/problem.ts";
import { readEnvFile } from "./read/env-file.ts";
import type { Environment } from "./read/substitute-env.ts";
import type { Config } from "./schema/config.ts";

export interface LoadConfigOptions {
  /** From `--config`. Without it MOORING_CONFIG counts, and without that the default that is shipped. */
  readonly file?: string | undefined;
  readonly env?: Environment;
}

/** The only place that reads the environment. Throws ConfigInvalid with every problem there is; the result is frozen. */
export const loadConfig = ({ file, env = process.env }: LoadConfigOptions = {}): Config => {
  const chosen = configFile({ file, env });
  return parseConfig({ file: chosen, text: readText(chosen), env: { ...readEnvFile(chosen), ...env } });
};

/** The file that is read. */
export const configFile = ({ file, env = process.env }: LoadConfigOptions = {}): string =>
  file ?? (env.MOORING_CONFIG || SHIPPED);

/** The build puts a copy beside what it makes of this file, so this holds there too. */
const SHIPPED = fileURLToPath(new URL("./mooring.yaml", import.meta.url));

/** Far more than anybody writes, and little enough to be read, or refused, in a moment. */
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
    const why = code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`;
    return refuse(`${why}: name another with --config or MOORING_CONFIG`);
  }
  if (bytes.length > MAX_BYTES) return refuse(`it has ${bytes.length} bytes; ${MAX_BYTES} is the most`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return refuse("it is not UTF-8: save it as UTF-8");
  }
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown error";
