import { parseArgs } from "node:util";
import { AppError } from "../core/contract/app-error.ts";
import { loadConfig } from "./load-config.ts";

/** `npm run config:check`: validates a configuration without starting anything or opening a connection. */
const check = async (file: string | undefined): Promise<{ ok: boolean; report: string }> => {
  try {
    const { agents, channels } = await loadConfig({ file });
    const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
    const names = Object.keys(channels);
    return {
      ok: true,
      report: `ok: ${count(agents.length, "agent")}, ${count(names.length, "channel")} (${names.join(", ")})`,
    };
  } catch (error) {
    if (error instanceof AppError && error.code === "bad-configuration") return { ok: false, report: error.message };
    throw error;
  }
};

const { values } = parseArgs({ options: { config: { type: "string" } } });
const { ok, report } = await check(values.config);
console.log(report);
process.exitCode = ok ? 0 : 1;
