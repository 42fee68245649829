import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import type { Environment } from "./substitute-env.ts";

export const ENV_FILE = ".env";

/** The secrets that lie beside a configuration, if there are any. The process's own environment goes before them. */
export const readEnvFile = (configFile: string): Environment => {
  let text: string;
  try {
    text = readFileSync(join(dirname(configFile), ENV_FILE), "utf8");
  } catch {
    return {};
  }
  return parseEnv(text) as Environment;
};
