import { SEND_MESSAGE } from "../../../core/a2a/index.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { Journal } from "../../../core/turns/index.ts";
import type { Trace } from "../../admin-api/index.ts";

type Step = Trace["subtasks"][number]["steps"][number];

export interface Steps {
  readonly steps: readonly Step[];
  /** Subtasks that the results of its calls name. */
  readonly named: readonly string[];
  /** Idempotency keys of the calls that wrote to another agent. */
  readonly sends: readonly string[];
}

/** The tool calls of a turn and their states, from its journal. */
export const readSteps = async (store: Store, turnId: string): Promise<Steps> => {
  const journal = new Journal(store, turnId, false);
  const steps: Step[] = [];
  const named = new Set<string>();
  const sends: string[] = [];
  for (let step = 0; ; step++) {
    const response = await journal.response(step);
    if (response === undefined) return { steps, named: [...named], sends };
    const calls: Step["calls"][number][] = [];
    for (const [index, { name }] of response.toolCalls.entries()) {
      const trace = await journal.call(step, index);
      const result = typeof trace === "object" ? trace.result : undefined;
      for (const [id] of result?.output.matchAll(/subtask-[0-9a-f]{8}/g) ?? []) named.add(id);
      if (name === SEND_MESSAGE) sends.push(`${turnId}/${step}/${index}`);
      calls.push({ name, state: result === undefined ? "running" : result.failed ? "failed" : "done" });
    }
    const { inputTokens, outputTokens } = response.usage;
    steps.push({ step, calls, inputTokens, outputTokens });
  }
};
