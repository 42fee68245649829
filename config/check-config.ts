import { AppError } from "../core/contract/app-error.ts";
import { type LoadConfigOptions, loadConfig } from "./load-config.ts";

export type ConfigCheck = { ok: boolean; report: string };

/** Reads and validates; starts nothing and talks to nobody. */
export const checkConfig = (options: LoadConfigOptions = {}): ConfigCheck => {
  try {
    const { agents, channels } = loadConfig(options);
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
