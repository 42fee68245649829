import { parseConfig } from "../../config/parse-config.ts";
import type { ConfigProblem } from "../../config/problems/problem.ts";
import { ConfigInvalid } from "../../config/problems/problem.ts";

/** What is wrong with a text, or an empty list. */
export const problemsOf = (text: string, env: Record<string, string> = {}): readonly ConfigProblem[] => {
  try {
    parseConfig({ file: "test.yaml", text, env });
    return [];
  } catch (error) {
    if (error instanceof ConfigInvalid) return error.problems;
    throw error;
  }
};

/** The smallest configuration there is; what a test is about is written under it. */
export const MINIMAL = "agents: [{ name: mooring, model: demo }]\n";
