import { type CallWarning, type TextStreamPart, ToolChoiceViolationError, type ToolSet } from "ai";
import type { Clock, Timer } from "../../contract/ports/clock.ts";
import { ModelFailed } from "../model-failed.ts";
import type { StepRequest, StepResponse, ToolCall } from "../step.ts";
import { checkToolCall, isStorable, uniqueCallIds } from "../tool-calls.ts";
import type { ModelTimeouts } from "./hosted-config.ts";

type Part = TextStreamPart<ToolSet>;
type ToolCallPart = Extract<Part, { type: "tool-call" }>;
type FinishPart = Extract<Part, { type: "finish-step" }>;

/** The journal stores a response as one value, so an endless answer must be cut. */
const MAX_ANSWER_BYTES = 256 * 1024;

interface StepListeners {
  readonly cutoff: Cutoff;
  onText(delta: string): void;
  /** Reports a setting that the provider does not support. */
  onWarning(warning: CallWarning): void;
}

/** Collects one step from the SDK's stream. Throws the stream's error. */
export const readStep = async (
  parts: AsyncIterable<Part>,
  request: StepRequest,
  { cutoff, onText, onWarning }: StepListeners,
): Promise<StepResponse> => {
  const callId = uniqueCallIds(request.messages);
  const toolCalls: ToolCall[] = [];
  let text = "";
  let bytes = 0;
  const count = (delta: string) => {
    cutoff.renew();
    bytes += Buffer.byteLength(delta);
    if (bytes > MAX_ANSWER_BYTES) {
      throw new ModelFailed("bad-answer", `the model's answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    }
  };
  for await (const part of parts) {
    if (cutoff.failure !== undefined) throw cutoff.failure;
    switch (part.type) {
      case "start-step":
        for (const warning of part.warnings) onWarning(warning);
        break;
      case "text-delta":
        count(part.text);
        text += part.text;
        onText(part.text);
        break;
      case "reasoning-delta":
        cutoff.renew();
        break;
      case "tool-input-start":
        count(part.toolName);
        break;
      case "tool-input-delta":
        count(part.delta);
        break;
      case "tool-call":
        toolCalls.push(toToolCall(part, callId(part.toolCallId), request));
        break;
      case "error":
        // Drops forbidden tool calls; the text is kept.
        if (!ToolChoiceViolationError.isInstance(part.error)) throw part.error;
        break;
      case "finish-step":
        return toResponse(part, text, toolCalls);
    }
  }
  throw new ModelFailed("bad-answer", "the model's stream ended before the answer was complete");
};

const toToolCall = (part: ToolCallPart, id: string, { tools }: StepRequest): ToolCall => {
  // Some models send an empty string for "no arguments".
  const input = part.input === "" ? {} : part.input;
  const malformed = part.invalid === true && typeof input === "string";
  const invalid = checkToolCall({ name: part.toolName, input, malformed }, tools);
  if (invalid === undefined) return { id, name: part.toolName, input };
  return { id, name: toToolName(part.toolName), input: isStorable(input) ? input : {}, invalid };
};

/** An unknown name stays in the history, where providers validate its spelling. */
const toToolName = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unnamed";

const toResponse = (part: FinishPart, text: string, toolCalls: ToolCall[]): StepResponse => {
  // The SDK ends a truncated stream with its own reason; only a model's reason has a raw form.
  if (part.rawFinishReason === undefined)
    throw new ModelFailed("bad-answer", "the model's stream ended before the answer was complete");
  if (text.trim() === "" && toolCalls.length === 0) throw emptyAnswer(part.finishReason);
  const { inputTokens, outputTokens } = part.usage;
  return {
    text,
    toolCalls,
    finish: finishOf(part.finishReason, toolCalls.length > 0),
    usage: { inputTokens: tokens(inputTokens), outputTokens: tokens(outputTokens) },
  };
};

const emptyAnswer = (finishReason: string): ModelFailed => {
  if (finishReason === "content-filter") {
    return new ModelFailed("refused", "the provider's content filter stopped the answer");
  }
  return new ModelFailed(
    "bad-answer",
    finishReason === "length"
      ? "the model reached its output limit before any text: raise maxOutputTokens"
      : "the model's answer is empty",
  );
};

/** Some servers finish with "stop" although they call tools. */
const finishOf = (finishReason: string, callsTools: boolean): StepResponse["finish"] => {
  if (finishReason === "length") return "length";
  if (callsTools) return "tool-calls";
  return finishReason === "stop" || finishReason === "tool-calls" ? "stop" : "other";
};

const tokens = (count: number | undefined): number =>
  count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : 0;

/** Made once: an abort without a reason makes an exception with a stack trace for each step. */
const ENDED = new DOMException("the step has ended", "AbortError");

/** Cuts a step at a timeout or when the caller aborts, whichever comes first. */
export class Cutoff {
  /** Aborts the request. */
  readonly signal: AbortSignal;
  /** Rejects as soon as the step is cut, however slowly the SDK reacts to the abort. */
  readonly cut: Promise<never>;
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #timeouts: ModelTimeouts;
  readonly #total: Timer;
  readonly #release: () => void;
  #silence: Timer;
  /** Monotonic time up to which the model may be silent; undefined before its first token. */
  #silentUntil: number | undefined;
  #reject: (failure: ModelFailed) => void = () => {};
  #failure: ModelFailed | undefined;

  constructor(clock: Clock, timeouts: ModelTimeouts, caller: AbortSignal) {
    this.#clock = clock;
    this.#timeouts = timeouts;
    this.signal = this.#controller.signal;
    this.cut = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.cut.catch(() => {});
    const { firstTokenMs, totalMs } = timeouts;
    this.#silence = clock.after(firstTokenMs, () =>
      this.#end(new ModelFailed("timeout", `the model sent no token within ${firstTokenMs} ms`)),
    );
    this.#total = clock.after(totalMs, () =>
      this.#end(new ModelFailed("timeout", `the model did not finish within ${totalMs} ms`)),
    );
    const onCancel = () => this.#end(new ModelFailed("cancelled", "the step was cancelled"));
    caller.addEventListener("abort", onCancel, { once: true });
    this.#release = () => caller.removeEventListener("abort", onCancel);
    if (caller.aborted) onCancel();
  }

  /** The reason for the cut; undefined if the step was not cut. */
  get failure(): ModelFailed | undefined {
    return this.#failure;
  }

  /** Restarts the timeout for the next token. */
  renew(): void {
    if (this.signal.aborted) return;
    const { idleMs } = this.#timeouts;
    const isFirst = this.#silentUntil === undefined;
    this.#silentUntil = this.#clock.monotonic() + idleMs;
    if (!isFirst) return;
    this.#silence.cancel();
    this.#awaitToken(idleMs);
  }

  /** One timer for many tokens: each of them only moves the time that the timer checks. */
  #awaitToken(ms: number): void {
    this.#silence = this.#clock.after(ms, () => {
      const { idleMs } = this.#timeouts;
      const leftMs = (this.#silentUntil ?? 0) - this.#clock.monotonic();
      if (leftMs > 0) return this.#awaitToken(leftMs);
      this.#end(new ModelFailed("timeout", `the model stopped sending for ${idleMs} ms in the middle of the answer`));
    });
  }

  /** Call at the end of the step; closes open connections too. */
  dispose(): void {
    this.#silence.cancel();
    this.#total.cancel();
    this.#release();
    this.#controller.abort(ENDED);
  }

  #end(failure: ModelFailed): void {
    this.#failure ??= failure;
    this.#reject(this.#failure);
    this.dispose();
  }
}
