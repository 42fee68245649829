import { z } from "zod";
import { RETENTION_MS } from "../../contract/bus.ts";
import { collection, type Key, keyOf } from "../../contract/collection.ts";
import type { Store } from "../../contract/store.ts";
import { createOnce } from "../../contract/update.ts";
import { StepResponse, ToolResult } from "../../model/index.ts";
import { TurnYielded } from "../turn-errors.ts";

const ttl = { ttlMs: RETENTION_MS };
const responses = collection("turn-responses", StepResponse, ttl);
const intents = collection("turn-intents", z.looseObject({ name: z.string() }), ttl);
const results = collection("turn-results", ToolResult, ttl);

/** The state of a call in an earlier run. */
export type CallTrace = { result: ToolResult } | "begun" | "untouched";

/**
 * The completed steps of a turn. Each entry is written once: a process that finds an entry of another process has lost
 * the turn and yields. A turn that was just opened has no entries, so a fresh journal reads nothing.
 */
export class Journal {
  readonly #store: Store;
  readonly #turnId: string;
  #fresh: boolean;

  constructor(store: Store, turnId: string, fresh: boolean) {
    this.#store = store;
    this.#turnId = turnId;
    this.#fresh = fresh;
  }

  async response(step: number): Promise<StepResponse | undefined> {
    if (this.#fresh) return undefined;
    const stored = await this.#store.get(this.#response(step));
    // The first step without a response is where the earlier run ended.
    if (stored === undefined) this.#fresh = true;
    return stored?.value;
  }

  async call(step: number, index: number): Promise<CallTrace> {
    if (this.#fresh) return "untouched";
    const [result, intent] = await Promise.all([
      this.#store.get(this.#result(step, index)),
      this.#store.get(this.#intent(step, index)),
    ]);
    if (result !== undefined) return { result: result.value };
    return intent === undefined ? "untouched" : "begun";
  }

  addResponse(step: number, response: StepResponse): Promise<void> {
    return this.#create(this.#response(step), response);
  }

  addIntent(step: number, index: number, name: string): Promise<void> {
    return this.#create(this.#intent(step, index), { name });
  }

  addResult(step: number, index: number, result: ToolResult): Promise<void> {
    return this.#create(this.#result(step, index), result);
  }

  #response(step: number) {
    return keyOf(responses, this.#turnId, String(step));
  }

  #intent(step: number, index: number) {
    return keyOf(intents, this.#turnId, String(step), String(index));
  }

  #result(step: number, index: number) {
    return keyOf(results, this.#turnId, String(step), String(index));
  }

  async #create<T>(key: Key<T>, value: T): Promise<void> {
    const created = await createOnce(this.#store, key, value);
    if (created === undefined) throw new TurnYielded("another process has taken the turn over");
  }
}
