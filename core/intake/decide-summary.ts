import { type Agent, mayHaveSummary, readSummary, settleSummary, summariseByModel } from "../turns/index.ts";
import type { IntakeParts } from "./intake-parts.ts";
import type { OpenedTurn } from "./open-turn.ts";

/**
 * Before the first unsolicited reply of a piece of work: whether a line of the model's replaces its cut prompt (O4).
 * Decided once and stored, so that it is the same words everywhere; nothing that was shown before is changed.
 */
export const decideSummary = async (
  parts: IntakeParts,
  agent: Agent,
  { record, window }: Pick<OpenedTurn, "record" | "window">,
): Promise<void> => {
  const { origin, standing } = record;
  const { rootTurnId } = standing;
  if (!mayHaveSummary(record) || (await readSummary(parts.store, agent, rootTurnId)) !== undefined) return;
  const root = window.entries.find((entry) => entry.kind === "turn" && entry.turnId === rootTurnId);
  const summary = root?.kind === "turn" ? await summariseByModel(parts, agent.model, root.text) : undefined;
  await settleSummary(parts.store, agent, rootTurnId, summary ?? origin.promptSummary);
};
