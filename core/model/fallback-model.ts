import { AppError } from "../contract/app-error.ts";
import type { Clock } from "../contract/ports/clock.ts";
import type { AgentModel, StepOptions } from "./agent-model.ts";
import { ModelFailed, type ModelFailure } from "./model-failed.ts";
import type { StepRequest, StepResponse } from "./step.ts";

/** Outages and rate limits: another model may answer the same request. */
const SWITCHES: readonly ModelFailure[] = ["rate-limited", "timeout", "unreachable", "overloaded", "bad-answer"];
/** How long a model that failed is not asked first, unless its server names a delay. */
const REST_MS = 30_000;
/** A server that asks for more is tried again after this time. */
const MAX_REST_MS = 10 * 60_000;

/** One model and when it may be asked first again. */
interface Candidate {
  readonly model: AgentModel;
  restsUntil: number;
}

/**
 * Models in order of preference. A step goes to the first one that has not failed lately, and on an outage or a rate
 * limit to the next. If all rest, the one that rests least is asked, so that no message fails without a request.
 */
export class FallbackModel implements AgentModel {
  readonly label: string;
  /** By the preferred model; a model that takes text only gets a note instead of the images. */
  readonly seesImages: boolean;
  readonly #candidates: readonly Candidate[];
  readonly #clock: Clock;

  constructor(models: readonly AgentModel[], clock: Clock) {
    this.#candidates = models.map((model) => ({ model, restsUntil: 0 }));
    this.#clock = clock;
    const [first] = models;
    if (first === undefined) throw new AppError("internal", "an agent has no model");
    this.label = first.label;
    this.seesImages = first.seesImages === true;
  }

  async step(request: StepRequest, options: StepOptions): Promise<StepResponse> {
    const order = this.#order();
    for (const [index, candidate] of order.entries()) {
      const { model } = candidate;
      try {
        const response = await model.step(request, options);
        candidate.restsUntil = 0;
        return { ...response, model: model.label };
      } catch (error) {
        if (!(error instanceof ModelFailed) || !SWITCHES.includes(error.reason)) throw error;
        candidate.restsUntil = this.#clock.monotonic() + Math.min(error.retryAfterMs ?? REST_MS, MAX_REST_MS);
        const next = order[index + 1]?.model;
        if (next === undefined || options.signal.aborted) throw error;
        options.onSwitch?.({ from: model.label, to: next.label, failure: error });
      }
    }
    throw new AppError("internal", "no model was asked");
  }

  /** Those that do not rest, in the configured order, then the others, the shortest rest first. */
  #order(): Candidate[] {
    const now = this.#clock.monotonic();
    const restOf = ({ restsUntil }: Candidate) => Math.max(0, restsUntil - now);
    return this.#candidates.toSorted((one, other) => restOf(one) - restOf(other));
  }
}
