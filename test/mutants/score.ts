import type { MutantResult } from "@stryker-mutator/api/core";

export interface Score {
  readonly part: string;
  readonly killed: number;
  readonly timedOut: number;
  readonly survived: number;
  readonly notCovered: number;
  /** Mutants of code that runs only while its module loads, and mutants that could not run. */
  readonly skipped: number;
  /** Percent of the mutants that were not skipped. */
  readonly score: number;
}

/** A mutant whose tests time out counts as killed. */
export const scoreOf = (part: string, mutants: readonly Pick<MutantResult, "status">[]): Score => {
  const count = (status: MutantResult["status"]) => mutants.filter((mutant) => mutant.status === status).length;
  const [killed, timedOut, survived, notCovered] = [
    count("Killed"),
    count("Timeout"),
    count("Survived"),
    count("NoCoverage"),
  ] as const;
  const counted = killed + timedOut + survived + notCovered;
  const score = counted === 0 ? 100 : (100 * (killed + timedOut)) / counted;
  return { part, killed, timedOut, survived, notCovered, skipped: mutants.length - counted, score };
};

/** The rows of the table in docs/mutation-testing.md. */
export const tableOf = (scores: readonly Score[]): string =>
  [
    "| part | mutants | killed | timed out | survived | not covered | skipped | score |",
    "| ---- | ------- | ------ | --------- | -------- | ----------- | ------- | ----- |",
    ...scores.map(({ part, killed, timedOut, survived, notCovered, skipped, score }) => {
      const counted = killed + timedOut + survived + notCovered;
      return `| ${[part, counted, killed, timedOut, survived, notCovered, skipped, `${score.toFixed(1)} %`].join(" | ")} |`;
    }),
  ].join("\n");
