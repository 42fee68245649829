/** Why requests should go elsewhere. */
export interface NotReady {
  readonly part: string;
  readonly reason: string;
}

export type PartHealth = { ok: true } | { ok: false; reason: string };

export interface Readiness {
  /** Asked on every look; must be cheap. */
  watch(part: string, health: () => PartHealth): void;
  /** From now on not ready, whatever the parts say. */
  stopping(): void;
  /** Empty: ready. */
  problems(): readonly NotReady[];
}

export const createReadiness = (): Readiness => {
  const parts = new Map<string, () => PartHealth>();
  let isStopping = false;
  return {
    watch: (part, health) => void parts.set(part, health),
    stopping: () => {
      isStopping = true;
    },
    problems: () => {
      if (isStopping) return [{ part: "process", reason: "stopping" }];
      return [...parts].flatMap(([part, health]) => {
        const state = health();
        return state.ok ? [] : [{ part, reason: state.reason }];
      });
    },
  };
};
