import { parseConfig } from "../../config/parse-config.ts";
import type { ConfigProblem } from "../../config/problems/problem.ts";
import { ConfigInvalid } from "../../config/problems/problem.ts";

/** The problems of a configuration text; empty if it is valid. */
export const problemsOf = (text: string, env: Record<string, string> = {}): readonly ConfigProblem[] => {
  try {
    parseConfig({ file: "test.yaml", text, env });
    return [];
  } catch (error) {
    if (error instanceof ConfigInvalid) return error.problems;
    throw error;
  }
};

/** The smallest valid configuration; tests append their settings. */
export const MINIMAL = "agents: [{ name: mooring, model: demo }]\n";
