import { z } from "zod";
import { AppError, messageOf } from "../contract/app-error.ts";
import type { ReplyOrigin } from "../contract/messages/work-context.ts";
import { collection, keyOf, type Store } from "../contract/ports/store.ts";
import { createOnce } from "../contract/ports/update.ts";
import { ChildAbort, maskSecrets, raceAbort, summarisePrompt } from "../lib/index.ts";
import type { AgentModel } from "../model/index.ts";
import type { Agent } from "../turns/index.ts";
import type { TurnRecord } from "../turns/record/index.ts";
import type { IntakeDeps } from "./intake-deps.ts";
import type { OpenedTurn } from "./open-turn.ts";

const DEADLINE_MS = 5_000;
const SHOWN_CHARS = 6_000;
const MAX_ANSWER_CHARS = 1_000;

const INSTRUCTION =
  "Say in one line of at most 60 characters what the person asks for, in the language they ask in. No quotation " +
  "marks, no full stop, no addresses, no mark-up: only that line.";

/** One line from the model; undefined if the model fails, is slow, or writes a line unfit for an anchor (O4). */
export const summariseByModel = async (
  { clock, logger, stopping }: Pick<IntakeDeps, "clock" | "logger" | "stopping">,
  model: AgentModel,
  text: string,
): Promise<string | undefined> => {
  const over = new ChildAbort(stopping);
  const timer = clock.after(DEADLINE_MS, () =>
    over.abort(new AppError("unavailable", `no summary within ${DEADLINE_MS} ms`)),
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
    logger.warn({ model: model.label, error: messageOf(error) }, "could not summarise prompt by model");
    return undefined;
  } finally {
    timer.cancel();
    over.release();
  }
};

/** Accepts one line of plain text that fits an anchor without truncation. */
const acceptable = (answer: string): string | undefined => {
  if (answer.length > MAX_ANSWER_CHARS) return undefined;
  const line = answer.trim().replace(/^["“„'«]+|["”“'».]+$/g, "");
  if (line === "" || /[\r\n]|\w:\/\/|\bwww\.|[@<>]/.test(line)) return undefined;
  const summary = summarisePrompt(line);
  return summary.endsWith("…") ? undefined : summary;
};

/** The summary that every anchor of a prompt shows: decided once, also if it is the truncated prompt (O4). */
const Summary = z.looseObject({ summary: z.string() });

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const summaries = collection("summaries", Summary, { ttlMs: THIRTY_DAYS_MS });

type AgentName = Pick<Agent, "tenant" | "name">;

const keyFor = ({ tenant, name }: AgentName, rootTurnId: string) => keyOf(summaries, tenant, name, rootTurnId);

/** The work of a proactive message; a solicited reply has no anchor, so it has no summary either. */
type Unsolicited = Pick<TurnRecord, "origin" | "standing">;

/** Short prompts are shown whole, and schedules and callers have a title. */
const mayHaveSummary = ({ origin, standing: delegationContext }: Unsolicited): boolean =>
  !delegationContext.background && origin.promptSummary.endsWith("…");

const readSummary = async (store: Store, agent: AgentName, rootTurnId: string): Promise<string | undefined> =>
  (await store.get(keyFor(agent, rootTurnId)))?.value.summary;

/** The first write wins. */
export const settleSummary = async (
  store: Store,
  agent: AgentName,
  rootTurnId: string,
  summary: string,
): Promise<void> => {
  await createOnce(store, keyFor(agent, rootTurnId), { summary });
};

/** The origin of a turn with the decided summary: the same on every channel and in every duplicate. */
export const settledOrigin = async (store: Store, agent: AgentName, record: Unsolicited): Promise<ReplyOrigin> => {
  const { origin, standing: delegationContext } = record;
  const summary = mayHaveSummary(record) ? await readSummary(store, agent, delegationContext.rootTurnId) : undefined;
  return summary === undefined ? origin : { ...origin, promptSummary: summary };
};

/** The summary is charged to the work; without a budget for it, the truncated prompt is shown (R2). */
const meteredModel = ({ model, budgets }: Agent, record: TurnRecord): AgentModel =>
  budgets?.metered(model, record) ?? model;

/**
 * Decides before the first unsolicited reply of a piece of work whether a model summary replaces its truncated prompt
 * (O4). The decision is stored once, so that all anchors agree; messages that people have seen do not change.
 */
export const decideSummary = async (
  deps: IntakeDeps,
  agent: Agent,
  { record, window }: Pick<OpenedTurn, "record" | "window">,
): Promise<void> => {
  const { origin, standing: delegationContext } = record;
  const { rootTurnId } = delegationContext;
  if (!mayHaveSummary(record) || (await readSummary(deps.store, agent, rootTurnId)) !== undefined) return;
  const root = window.entries.find((entry) => entry.kind === "turn" && entry.turnId === rootTurnId);
  // A summary of the model would be a text that people see unchecked.
  const mayAsk = root?.kind === "turn" && deps.moderator?.checksAnswers !== true && !agent.model.isAgent;
  const summary = mayAsk ? await summariseByModel(deps, meteredModel(agent, record), root.text) : undefined;
  await settleSummary(deps.store, agent, rootTurnId, summary ?? origin.promptSummary);
};
