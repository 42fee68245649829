interface PartProblem {
  readonly part: string;
  readonly reason: string;
}

type PartHealth = { ok: true } | { ok: false; reason: string };

export interface Readiness {
  /** This process cannot take messages without the part. `health` runs on every probe: it must be cheap. */
  watch(part: string, health: () => PartHealth): void;
  /** This process takes messages without the part, so its problem never makes the process unready. */
  watchOptional(part: string, health: () => PartHealth): void;
  /** From now on not ready, regardless of the parts. */
  stopping(): void;
  /** Empty: ready. */
  problems(): readonly PartProblem[];
  /** Parts that do not work while the process is ready. */
  degraded(): readonly PartProblem[];
}

export const createReadiness = (): Readiness => {
  const required = new Map<string, () => PartHealth>();
  const optional = new Map<string, () => PartHealth>();
  let isStopping = false;
  return {
    watch: (part, health) => void required.set(part, health),
    watchOptional: (part, health) => void optional.set(part, health),
    stopping: () => {
      isStopping = true;
    },
    problems: () => (isStopping ? [{ part: "process", reason: "stopping" }] : problemsOf(required)),
    degraded: () => problemsOf(optional),
  };
};

const problemsOf = (parts: ReadonlyMap<string, () => PartHealth>): PartProblem[] =>
  [...parts].flatMap(([part, health]) => {
    const state = health();
    return state.ok ? [] : [{ part, reason: state.reason }];
  });
