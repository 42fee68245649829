import type { Race } from "./answers/race.ts";
import type { Comparison } from "./measure.ts";

/** A comparison on one or both backbones. */
export interface Scenario {
  readonly name: string;
  /** The aim for the ratio, for the table: "≥ 0.7" or "≤ 1.5". */
  readonly aim: string;
  /** Takes minutes: runs only if it is selected by name. */
  readonly soak?: boolean;
  /** Left out of a quick run, unless it is selected by name. */
  readonly long?: boolean;
  /** Starts everything that the comparisons need, yields them, and stops it again. */
  prepare(quick: boolean): AsyncGenerator<Comparison | Race>;
}
