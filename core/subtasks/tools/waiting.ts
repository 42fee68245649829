import type { DelegationConfig } from "../../turns/index.ts";

/** Results that a call returns, all together: below what a tool's result may be. */
export const RESULT_BYTES = 28_000;

/** A call that waits for subtasks gives up by itself before it is given up. */
export const longestWaitMs = ({ interactiveCeilingMs, backgroundCeilingMs }: DelegationConfig): number =>
  Math.max(interactiveCeilingMs, backgroundCeilingMs) + 30_000;
