import type { Spending } from "../budgets/index.ts";
import { messageOf } from "../contract/app-error.ts";
import { subjectsOf } from "../contract/messages/subjects.ts";
import type { Clock, Timer } from "../contract/ports/clock.ts";
import { pause, raceAbort } from "../lib/index.ts";
import { ModelFailed, type ModelFailure, type StepRequest, type StepResponse } from "../model/index.ts";
import { stepSpan } from "./agent-spans.ts";
import type { CoreDeps, Turn } from "./turn.ts";
import { TurnStopped } from "./turn-failures.ts";
import { finalIdOf } from "./turn-records.ts";

const MAX_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 1_000;
/** A user is waiting, so a provider that asks for a longer pause counts as unavailable. */
const MAX_PAUSE_MS = 30_000;
/** Below the size limit of a stored value. */
const MAX_RESPONSE_BYTES = 400_000;

/** Turns whose first request was admitted: a turn counts once. */
const counted = new WeakSet<Turn>();

/** Reserves a request in the budgets before the model gets it (R2). A subtask counts as one, not by its turns. */
const reserve = async (turn: Turn, request: StepRequest): Promise<Spending | undefined> => {
  const { agent, record } = turn;
  const isTurn = record.standing.subtaskId === undefined && !counted.has(turn);
  const spending = await agent.budgets?.reserve(record, agent.model.label, request, isTurn);
  counted.add(turn);
  return spending;
};

/** Failures without a response, after which the model has not worked. */
const UNREACHED: readonly ModelFailure[] = ["rate-limited", "unreachable", "credentials", "overloaded"];

/** Requests one response of the model and streams its text as signals. All retries of model requests happen here. */
export const askModel = async (deps: CoreDeps, turn: Turn, request: StepRequest): Promise<StepResponse> => {
  for (let attempts = 1; ; attempts++) {
    await deps.checkpoint("model.before");
    const spending = await reserve(turn, request);
    let answer: StepResponse | ModelFailed | undefined;
    try {
      answer = await attemptOnce(deps, turn, request);
    } finally {
      if (answer instanceof ModelFailed && UNREACHED.includes(answer.reason)) spending?.release();
      else spending?.settle(answer instanceof ModelFailed ? undefined : answer?.usage);
    }
    if (!(answer instanceof ModelFailed)) {
      await deps.checkpoint("model.after");
      return answer;
    }
    const { reason, retryable, retryAfterMs = 0 } = answer;
    turn.logger.warn({ model: turn.agent.model.label, reason, attempts, error: answer.message }, "model failed");
    if (!retryable || attempts === MAX_ATTEMPTS || retryAfterMs > MAX_PAUSE_MS) throw answer;
    const backoffMs = FIRST_PAUSE_MS * 4 ** (attempts - 1) * (1 + spread(turn.record.turnId));
    await pause(deps.clock, Math.max(backoffMs, retryAfterMs), turn.signal);
  }
};

const attemptOnce = async (deps: CoreDeps, turn: Turn, request: StepRequest): Promise<StepResponse | ModelFailed> => {
  const { model } = turn.agent;
  const deltas = deltaStream(deps, turn);
  const startedAt = deps.clock.monotonic();
  let outcome = "answered";
  let text = "";
  let response: StepResponse | undefined;
  try {
    const onText = (delta: string) => {
      text += delta;
      deltas.push(delta);
    };
    const step = model.step(request, { signal: turn.signal, onText });
    response = await raceAbort(step, turn.signal);
    deps.meter.count("model_tokens_total", { model: model.label, direction: "input" }, response.usage.inputTokens);
    deps.meter.count("model_tokens_total", { model: model.label, direction: "output" }, response.usage.outputTokens);
    // A long text is truncated where it is stored; calls that cannot be journaled must not run.
    if (response.toolCalls.length > 0 && bytesOf(response) > MAX_RESPONSE_BYTES) {
      throw new ModelFailed("bad-answer", `tool calls of more than ${MAX_RESPONSE_BYTES} bytes cannot be stored`);
    }
    return response;
  } catch (error) {
    if (turn.signal.reason instanceof TurnStopped) throw new TurnStopped(text);
    turn.signal.throwIfAborted();
    const failure =
      error instanceof ModelFailed
        ? error
        : new ModelFailed("bad-answer", `the model client failed: ${messageOf(error)}`);
    outcome = failure.reason;
    return failure;
  } finally {
    deltas.end();
    deps.meter.count("model_steps_total", { model: model.label, outcome });
    const seconds = (deps.clock.monotonic() - startedAt) / 1_000;
    deps.meter.observe("model_step_seconds", seconds, { model: model.label });
    deps.tracer?.record(stepSpan(turn, { endedAt: deps.clock.now(), seconds, outcome, response }));
  }
};

const deltaStream = ({ bus, clock }: CoreDeps, { agent, record, streamId, nextAttempt }: Turn): DeltaStream => {
  const subject = subjectsOf(agent.tenant).userSignal(agent.name);
  const { audience, correlationId, turnId } = record;
  const { conversation, accountId } = audience;
  // A channel shows only solicited answers while they are written.
  const solicited = correlationId === undefined ? {} : { replyId: finalIdOf(turnId), accountId };
  const attempt = nextAttempt();
  return new DeltaStream(clock, (offset, text) => {
    if (streamId === undefined) return;
    bus.signal(subject, { type: "delta", conversation, correlationId: streamId, ...solicited, attempt, offset, text });
  });
};

/** Jitter from 0 to 1, by turn: sessions that failed together do not retry together. */
const spread = (turnId: string): number => Number.parseInt(turnId.slice(-4), 16) / 0x1_0000;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** About 25 signals a second: more would not look smoother. */
const DELTA_INTERVAL_MS = 40;

/** Batches the streamed text of one attempt into fewer, larger pieces. */
export class DeltaStream {
  readonly #clock: Clock;
  readonly #send: (offset: number, text: string) => void;
  #waiting = "";
  #sentChars = 0;
  #timer: Timer | undefined;
  #ended = false;

  constructor(clock: Clock, send: (offset: number, text: string) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  push(text: string): void {
    if (this.#ended) return;
    this.#waiting += text;
    if (this.#timer === undefined) this.#flush();
  }

  /** Drops the unsent rest: the whole text follows, or the attempt failed and its text is void. */
  end(): void {
    this.#ended = true;
    this.#timer?.cancel();
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#waiting === "") return;
    this.#send(this.#sentChars, this.#waiting);
    this.#sentChars += this.#waiting.length;
    this.#waiting = "";
    this.#timer = this.#clock.after(DELTA_INTERVAL_MS, () => this.#flush());
  }
}
