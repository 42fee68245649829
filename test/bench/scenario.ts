import type { Comparison } from "./measure.ts";

/** Something worth comparing, on one or both backbones. */
export interface Scenario {
  readonly name: string;
  /** What the ratio should be, for the table: "≥ 0.7" or "≤ 1.5". */
  readonly aim: string;
  /** Takes minutes: run only when it is asked for by name. */
  readonly soak?: boolean;
  /** No part of a quick run, unless it is asked for by name. */
  readonly long?: boolean;
  /** Puts up what the comparisons need, yields them, and takes it all down again. */
  prepare(quick: boolean): AsyncGenerator<Comparison>;
}
