import { z } from "zod";
import { RevisionConflict } from "../contract/app-error.ts";
import { collection, keyOf } from "../contract/collection.ts";
import type { ReplyOrigin } from "../contract/reply-origin.ts";
import type { Store } from "../contract/store.ts";
import type { TurnRecord } from "./turn-record.ts";

/** The words that stand for a prompt wherever it is anchored: decided once, also if it is the cut text (O4). */
const Summary = z.looseObject({ summary: z.string() });

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const summaries = collection("summaries", Summary, { ttlMs: THIRTY_DAYS_MS });

interface Place {
  readonly tenant: string;
  readonly name: string;
}

const keyFor = ({ tenant, name }: Place, rootTurnId: string) => keyOf(summaries, tenant, name, rootTurnId);

type Unsolicited = Pick<TurnRecord, "origin" | "standing" | "correlationId">;

/** Whole prompts need no summary, those of schedules and callers have a title, and who waits needs no anchor. */
export const mayHaveSummary = ({ origin, standing, correlationId }: Unsolicited): boolean =>
  correlationId === undefined && !standing.background && origin.promptSummary.endsWith("…");

export const readSummary = async (store: Store, agent: Place, rootTurnId: string): Promise<string | undefined> =>
  (await store.get(keyFor(agent, rootTurnId)))?.value.summary;

/** The first word counts. */
export const settleSummary = async (store: Store, agent: Place, rootTurnId: string, summary: string): Promise<void> => {
  try {
    await store.put(keyFor(agent, rootTurnId), { summary }, { ifRevision: 0 });
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
  }
};

/** The origin of a turn in the words that were decided on: the same on every channel and in every repeat. */
export const settledOrigin = async (store: Store, agent: Place, record: Unsolicited): Promise<ReplyOrigin> => {
  const { origin, standing } = record;
  const summary = mayHaveSummary(record) ? await readSummary(store, agent, standing.rootTurnId) : undefined;
  return summary === undefined ? origin : { ...origin, promptSummary: summary };
};
