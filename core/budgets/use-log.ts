import { z } from "zod";
import { type Clock, dayOf, type Timer } from "../contract/ports/clock.ts";
import { collection, keyOf, prefixOf, type Store } from "../contract/ports/store.ts";
import { update } from "../contract/ports/update.ts";

/** The use of one model. `cost` is in millionths of the currency of the prices; absent if the model has no price. */
export const ModelUse = z.looseObject({
  turns: z.number(),
  requests: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cost: z.number().optional(),
});
export type ModelUse = z.infer<typeof ModelUse>;

/** The use of one agent by one person on one day, by model. For operators; limits do not depend on it. */
export const UseRecord = z.looseObject({ models: z.record(z.string(), ModelUse) });
export type UseRecord = z.infer<typeof UseRecord>;

const uses = collection("budget-use", UseRecord, { ttlMs: 35 * 24 * 3_600_000 });

const useKey = ({ tenant, agent, personId }: UseOf, day: string) => keyOf(uses, tenant, day, agent, personId);

/** Key parts: tenant, day, agent, person. */
export const usesOfDay = (tenant: string, day: string) => prefixOf(uses, tenant, day);

interface UseOf {
  readonly tenant: string;
  readonly agent: string;
  readonly personId: string;
}

const FLUSH_MS = 60_000;

/** Collects use in memory and adds it to the store once a minute, so that a message costs no write. */
export class UseLog {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #collected = new Map<string, { of: UseOf; day: string; models: Map<string, ModelUse> }>();
  #timer: Timer | undefined;
  readonly #onFlush: () => Promise<void>;
  #isStopped = false;

  /** `onFlush` is called once a minute while there is use. */
  constructor({ store, clock }: { store: Store; clock: Clock }, onFlush: () => Promise<void>) {
    this.#store = store;
    this.#clock = clock;
    this.#onFlush = onFlush;
  }

  add(of: UseOf, model: string, use: ModelUse): void {
    const day = dayOf(this.#clock.now());
    const key = `${day}\n${of.tenant}\n${of.agent}\n${of.personId}`;
    let collected = this.#collected.get(key);
    if (collected === undefined) {
      collected = { of, day, models: new Map() };
      this.#collected.set(key, collected);
    }
    collected.models.set(model, addedUse(collected.models.get(model), use));
    if (this.#isStopped) return;
    this.#timer ??= this.#clock.after(FLUSH_MS, () => {
      this.#timer = undefined;
      void this.#onFlush();
    });
  }

  /** Adds the collected use to the store. Use that cannot be stored is kept for the next time. */
  async flush(): Promise<void> {
    const collected = [...this.#collected.values()];
    this.#collected.clear();
    for (const [index, { of, day, models }] of collected.entries()) {
      try {
        await update(this.#store, useKey(of, day), (current) => ({ models: joined(current.models, models) }), {
          initial: { models: {} as Record<string, ModelUse> },
        });
      } catch (error) {
        for (const kept of collected.slice(index)) {
          for (const [model, use] of kept.models) this.add(kept.of, model, use);
        }
        throw error;
      }
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }
}

const joined = (stored: Readonly<Record<string, ModelUse>>, models: ReadonlyMap<string, ModelUse>) => ({
  ...stored,
  ...Object.fromEntries([...models].map(([model, use]) => [model, addedUse(stored[model], use)])),
});

export const addedUse = (a: ModelUse | undefined, b: ModelUse): ModelUse => ({
  turns: (a?.turns ?? 0) + b.turns,
  requests: (a?.requests ?? 0) + b.requests,
  inputTokens: (a?.inputTokens ?? 0) + b.inputTokens,
  outputTokens: (a?.outputTokens ?? 0) + b.outputTokens,
  ...((a?.cost !== undefined || b.cost !== undefined) && { cost: (a?.cost ?? 0) + (b.cost ?? 0) }),
});
