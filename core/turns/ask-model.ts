import { messageOf } from "../contract/app-error.ts";
import { subjectsOf } from "../contract/subjects.ts";
import { pause, raceAbort } from "../lib/index.ts";
import { ModelFailed, type StepRequest, type StepResponse } from "../model/index.ts";
import { stepSpan } from "./agent-spans.ts";
import { DeltaStream } from "./delta-stream.ts";
import type { CoreParts, Turn } from "./turn.ts";
import { finalIdOf } from "./turn-record.ts";
import { TurnStopped } from "./turn-stopped.ts";

const MAX_TRIES = 3;
const FIRST_PAUSE_MS = 1_000;
/** Somebody waits for the answer: a provider that wants longer than this is as good as away. */
const LONGEST_PAUSE_MS = 30_000;
/** The store takes no larger value. */
const MAX_RESPONSE_BYTES = 400_000;

/** One response of the model, with its text signalled as it comes. Retries are made here and nowhere else. */
export const askModel = async (parts: CoreParts, turn: Turn, request: StepRequest): Promise<StepResponse> => {
  for (let tries = 1; ; tries++) {
    await parts.checkpoint("model.before");
    const answer = await tryOnce(parts, turn, request);
    if (!(answer instanceof ModelFailed)) {
      await parts.checkpoint("model.after");
      return answer;
    }
    const { reason, retryable, retryAfterMs = 0 } = answer;
    turn.logger.warn({ model: turn.agent.model.label, reason, tries, error: answer.message }, "model failed");
    if (!retryable || tries === MAX_TRIES || retryAfterMs > LONGEST_PAUSE_MS) throw answer;
    const backoffMs = FIRST_PAUSE_MS * 4 ** (tries - 1) * (1 + spread(turn.record.turnId));
    await pause(parts.clock, Math.max(backoffMs, retryAfterMs), turn.signal);
  }
};

const tryOnce = async (parts: CoreParts, turn: Turn, request: StepRequest): Promise<StepResponse | ModelFailed> => {
  const { model } = turn.agent;
  const deltas = deltaStream(parts, turn);
  const startedAt = parts.clock.monotonic();
  let outcome = "answered";
  let said = "";
  let response: StepResponse | undefined;
  try {
    const onText = (delta: string) => {
      said += delta;
      deltas.push(delta);
    };
    const step = model.step(request, { signal: turn.signal, onText });
    response = await raceAbort(step, turn.signal);
    parts.meter.count("model_tokens_total", { model: model.label, direction: "input" }, response.usage.inputTokens);
    parts.meter.count("model_tokens_total", { model: model.label, direction: "output" }, response.usage.outputTokens);
    // A long text is cut by whoever keeps it; calls that cannot be journaled must not be run.
    if (response.toolCalls.length > 0 && bytesOf(response) > MAX_RESPONSE_BYTES) {
      throw new ModelFailed("bad-answer", `tool calls of more than ${MAX_RESPONSE_BYTES} bytes cannot be kept`);
    }
    return response;
  } catch (error) {
    if (turn.signal.reason instanceof TurnStopped) throw new TurnStopped(said);
    turn.signal.throwIfAborted();
    const failure =
      error instanceof ModelFailed ? error : new ModelFailed("bad-answer", `the model broke: ${messageOf(error)}`);
    outcome = failure.reason;
    return failure;
  } finally {
    deltas.end();
    parts.meter.count("model_steps_total", { model: model.label, outcome });
    const seconds = (parts.clock.monotonic() - startedAt) / 1_000;
    parts.meter.observe("model_step_seconds", seconds, { model: model.label });
    parts.tracer?.record(stepSpan(turn, { endedAt: parts.clock.now(), seconds, outcome, response }));
  }
};

const deltaStream = ({ bus, clock }: CoreParts, { agent, record, streamId, nextAttempt }: Turn): DeltaStream => {
  const subject = subjectsOf(agent.tenant).userSignal(agent.name);
  const { audience, correlationId, turnId } = record;
  const { conversation, accountId } = audience;
  // A channel shows only solicited answers while they are written.
  const awaited = correlationId === undefined ? {} : { replyId: finalIdOf(turnId), accountId };
  const attempt = nextAttempt();
  return new DeltaStream(clock, (offset, text) => {
    if (streamId === undefined) return;
    bus.signal(subject, { type: "delta", conversation, correlationId: streamId, ...awaited, attempt, offset, text });
  });
};

/** From 0 to 1, by turn: sessions that failed together do not come back together. */
const spread = (turnId: string): number => Number.parseInt(turnId.slice(-4), 16) / 0x1_0000;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
