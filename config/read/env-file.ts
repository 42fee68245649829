import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import type { Environment } from "./substitute-env.ts";

export const ENV_FILE = ".env";

export const envFileOf = (configFile: string): string => join(dirname(configFile), ENV_FILE);

/** Reads the `.env` file beside a configuration; empty if there is none. The process environment takes precedence. */
export const readEnvFile = (configFile: string): Environment => {
  let text: string;
  try {
    text = readFileSync(envFileOf(configFile), "utf8");
  } catch {
    return {};
  }
  return parseEnv(text) as Environment;
};
