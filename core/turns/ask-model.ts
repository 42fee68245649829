import type { Spending } from "../budgets/index.ts";
import { BackboneUnavailable, messageOf } from "../contract/app-error.ts";
import type { FileRef } from "../contract/file-ref.ts";
import { subjectsOf } from "../contract/messages/subjects.ts";
import { workContextOf } from "../contract/messages/work-context.ts";
import type { Clock, Timer } from "../contract/ports/clock.ts";
import { readFile as readStoredFile } from "../files/index.ts";
import { pause, raceAbort } from "../lib/index.ts";
import {
  ModelFailed,
  type ModelFailure,
  type ModelSwitch,
  type StepRequest,
  type StepResponse,
  type StepWork,
} from "../model/index.ts";
import { stepSpan } from "./agent-spans.ts";
import { finalIdOf } from "./record/index.ts";
import type { CoreDeps, Turn } from "./turn.ts";
import { quotedText } from "./turn-context.ts";
import { TurnStopped } from "./turn-failures.ts";

const MAX_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 1_000;
/** A user is waiting, so a provider that asks for a longer pause counts as unavailable. */
const MAX_PAUSE_MS = 30_000;
/** Below the size limit of a stored value. */
const MAX_RESPONSE_BYTES = 400_000;

/** Turns whose first request was admitted: a turn counts once. */
const counted = new WeakSet<Turn>();

/** An agent elsewhere gets neither the history nor our tools, and only it knows what its answer costs. */
const NO_REQUEST: StepRequest = { system: "", messages: [], tools: [], toolChoice: "none" };
const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

/** Reserves a request in the budgets before the model gets it (R2). A subtask counts as one, not by its turns. */
const reserve = async (turn: Turn, request: StepRequest): Promise<Spending | undefined> => {
  const { agent, record } = turn;
  const isTurn = record.standing.subtaskId === undefined && !counted.has(turn);
  const sent = agent.model.isAgent ? NO_REQUEST : request;
  const spending = await agent.budgets?.reserve(record, agent.model.label, sent, isTurn);
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
    let attempt: Attempt | undefined;
    try {
      attempt = await attemptOnce(deps, turn, request);
    } finally {
      const { response, failure } = attempt ?? {};
      if (failure && UNREACHED.includes(failure.reason)) spending?.release();
      else spending?.settle(failure ? unknownUsage(turn) : response?.usage, response?.model);
    }
    const { response, failure } = attempt;
    if (response) {
      await deps.checkpoint("model.after");
      return response;
    }
    const { reason, retryable, retryAfterMs = 0 } = failure;
    turn.logger.warn({ model: turn.agent.model.label, reason, attempts, error: failure.message }, "model failed");
    if (!retryable || attempts === MAX_ATTEMPTS || retryAfterMs > MAX_PAUSE_MS) throw failure;
    const backoffMs = FIRST_PAUSE_MS * 4 ** (attempts - 1) * (1 + spread(turn.record.turnId));
    await pause(deps.clock, Math.max(backoffMs, retryAfterMs), turn.signal);
  }
};

const unknownUsage = ({ agent: { model } }: Turn) => (model.isAgent ? NO_USAGE : undefined);

type Attempt =
  | { readonly response: StepResponse; readonly failure?: never }
  | { readonly failure: ModelFailed; readonly response?: never };

const attemptOnce = async (deps: CoreDeps, turn: Turn, request: StepRequest): Promise<Attempt> => {
  const { model } = turn.agent;
  let deltas = deltaStream(deps, turn);
  let startedAt = deps.clock.monotonic();
  let asked = model.label;
  let text = "";
  /** Ends the request to one model in metrics and trace. */
  const ended = (outcome: string, response?: StepResponse) => {
    deltas.end();
    deps.meter.count("model_steps_total", { model: asked, outcome });
    const seconds = (deps.clock.monotonic() - startedAt) / 1_000;
    deps.meter.observe("model_step_seconds", seconds, { model: asked });
    deps.tracer?.record(stepSpan(turn, { model: asked, endedAt: deps.clock.now(), seconds, outcome, response }));
  };
  let outcome = "answered";
  let response: StepResponse | undefined;
  try {
    const onText = (delta: string) => {
      text += delta;
      deltas.push(delta);
    };
    const onSwitch = ({ from, to, failure }: ModelSwitch) => {
      asked = from;
      ended(failure.reason);
      turn.logger.warn({ model: from, reason: failure.reason, error: failure.message, next: to }, "model failed");
      deps.meter.count("model_switches_total", { from, to });
      asked = to;
      startedAt = deps.clock.monotonic();
      text = "";
      deltas = deltaStream(deps, turn);
    };
    const readFile = (file: FileRef) => readStoredFile(deps.store, file);
    const step = model.step(request, { signal: turn.signal, onText, onSwitch, work: workOf(turn), readFile });
    response = await raceAbort(step, turn.signal);
    asked = response.model ?? asked;
    deps.meter.count("model_tokens_total", { model: asked, direction: "input" }, response.usage.inputTokens);
    deps.meter.count("model_tokens_total", { model: asked, direction: "output" }, response.usage.outputTokens);
    // A long text is truncated where it is stored; calls that cannot be journaled must not run.
    if (response.toolCalls.length > 0 && bytesOf(response) > MAX_RESPONSE_BYTES) {
      throw new ModelFailed("bad-answer", `tool calls of more than ${MAX_RESPONSE_BYTES} bytes cannot be stored`);
    }
    return { response };
  } catch (error) {
    if (turn.signal.reason instanceof TurnStopped) throw new TurnStopped(text);
    turn.signal.throwIfAborted();
    if (error instanceof BackboneUnavailable) throw error;
    const failure =
      error instanceof ModelFailed
        ? error
        : new ModelFailed("bad-answer", `the model client failed: ${messageOf(error)}`);
    outcome = failure.reason;
    return { failure };
  } finally {
    ended(outcome, response);
  }
};

const workOf = ({ agent, record, text, unsignedText = text, quoted, systemNote }: Turn): StepWork => ({
  tenant: agent.tenant,
  agent: agent.name,
  turnId: record.turnId,
  text,
  unsignedText,
  note: systemNote,
  quoted: quoted && quotedText({ text: quoted.text, isOwn: quoted.isOwn }),
  ...workContextOf(record),
});

const deltaStream = ({ bus, clock }: CoreDeps, { agent, record, streamId, nextAttempt }: Turn): DeltaStream => {
  const subject = subjectsOf(agent.tenant).userSignal(agent.name);
  const { audience, correlationId, turnId, origin } = record;
  const { conversation, accountId } = audience;
  // A channel shows only solicited answers while they are written.
  const solicited =
    correlationId === undefined ? {} : { replyId: finalIdOf(turnId), accountId, answers: origin.messageId };
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
