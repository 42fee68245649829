import { AppError, messageOf } from "../contract/app-error.ts";
import type { Clock } from "../contract/clock.ts";
import type { Logger } from "../contract/logger.ts";
import { ChildAbort, maskSecrets, raceAbort, summarisePrompt } from "../lib/index.ts";
import type { AgentModel } from "../model/index.ts";

const DEADLINE_MS = 5_000;
const SHOWN_CHARS = 6_000;
const MAX_ANSWER_CHARS = 1_000;

const INSTRUCTION =
  "Say in one line of at most 60 characters what the person asks for, in the language they ask in. No quotation " +
  "marks, no full stop, no addresses, no mark-up: only that line.";

interface Parts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
}

/** One line from the model, or nothing: if it fails, is slow, or says what does not belong into an anchor (O4). */
export const summariseByModel = async (
  { clock, logger, stopping }: Parts,
  model: AgentModel,
  text: string,
): Promise<string | undefined> => {
  const over = new ChildAbort(stopping);
  const timer = clock.after(DEADLINE_MS, () =>
    over.abort(new AppError("unavailable", `none within ${DEADLINE_MS} ms`)),
  );
  try {
    const messages = [{ role: "user" as const, text: maskSecrets(text.slice(0, SHOWN_CHARS)) }];
    const step = model.step(
      { system: INSTRUCTION, messages, tools: [], toolChoice: "none" },
      { signal: over.signal, onText() {} },
    );
    return acceptable((await raceAbort(step, over.signal)).text);
  } catch (error) {
    stopping.throwIfAborted();
    logger.warn({ model: model.label, error: messageOf(error) }, "a prompt was not summarised by the model");
    return undefined;
  } finally {
    timer.cancel();
    over.release();
  }
};

/** A line of plain words, short enough to be shown whole. */
const acceptable = (answer: string): string | undefined => {
  if (answer.length > MAX_ANSWER_CHARS) return undefined;
  const line = answer.trim().replace(/^["“„'«]+|["”“'».]+$/g, "");
  if (line === "" || /[\r\n]|\w:\/\/|\bwww\.|[@<>]/.test(line)) return undefined;
  const summary = summarisePrompt(line);
  return summary.endsWith("…") ? undefined : summary;
};
