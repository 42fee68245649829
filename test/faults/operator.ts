import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { conversationName, type Letter } from "./account/account.ts";

const Page = z.object({ items: z.array(z.unknown()), next: z.string().optional() });
const DeadDelivery = z.object({
  ref: z.string(),
  conversation: z.object({ channel: z.string(), room: z.string(), thread: z.string().optional() }),
  origin: z.object({ promptSummary: z.string() }).nullable(),
  reason: z.string(),
});
const DeadMessage = z.object({ queue: z.string(), id: z.string(), reason: z.string() });
const OpenSubtask = z.object({ id: z.string(), name: z.string(), status: z.string() });
const Schedule = z.object({ ref: z.string(), description: z.string(), status: z.string() });
const Run = z.object({ state: z.string(), outcome: z.string().optional() });

const LOOK_EVERY_MS = 500;
const MAX_LOOKS = 60;

/** On a busy machine a list can exceed the product's store timeout; operators then retry. */
export const whenAnswered = async <T>(look: () => Promise<T>): Promise<T> => {
  for (let looks = 0; ; looks++) {
    try {
      return await look();
    } catch (error) {
      if (looks === MAX_LOOKS) throw error;
      await delay(LOOK_EVERY_MS);
    }
  }
};

/** An operator, who sees the product only through its admin API. */
export class Operator {
  readonly token = "operator-of-the-harness";
  readonly #gateway: () => string;

  constructor(gateway: () => string) {
    this.#gateway = gateway;
  }

  async letters(): Promise<(Letter & { readonly ref: string })[]> {
    const letters = await this.#all("dead-letters?kind=delivery", DeadDelivery);
    return letters.map(({ ref, conversation: { channel, room, thread }, origin, reason }) => ({
      ref,
      conversation: conversationName({ channel, room, ...(thread !== undefined && { thread }) }),
      about: origin?.promptSummary ?? "",
      reason,
    }));
  }

  /** Unfinished work and dead letters. An end is reported a little before it is stored. */
  async looseEnds(): Promise<string[]> {
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      if ((await whenAnswered(() => this.#looseEnds())).length === 0) return [];
      await delay(LOOK_EVERY_MS);
    }
    return this.#looseEnds();
  }

  async #looseEnds(): Promise<string[]> {
    const [subtasks, messages, schedules] = await Promise.all([
      this.#all("subtasks?status=open", OpenSubtask),
      this.#all("dead-letters?kind=message", DeadMessage),
      this.#all("schedules", Schedule),
    ]);
    const runs = await Promise.all(schedules.map((schedule) => this.#looseRuns(schedule)));
    return [
      ...subtasks.map(({ name, id, status }) => `subtask ${name} (${id}) is ${status}`),
      ...messages.map(({ queue, id, reason }) => `${queue} gave up ${id}: ${reason}`),
      ...runs.flat(),
    ];
  }

  async #looseRuns({ ref, description, status }: z.infer<typeof Schedule>): Promise<string[]> {
    const runs = await this.#all(`schedules/${encodeURIComponent(ref)}/runs`, Run);
    const open = runs.filter(({ state, outcome }) => state !== "ended" || outcome !== "answered");
    return [
      ...(status === "active" ? [`schedule "${description}" has not fired`] : []),
      ...open.map(({ state, outcome }) => `a run of "${description}" is ${state}, ${outcome ?? "without an outcome"}`),
    ];
  }

  async #all<T>(path: string, schema: z.ZodType<T>): Promise<T[]> {
    const found: T[] = [];
    for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
      const page = new URLSearchParams({ limit: "200", ...(after !== undefined && { after }) });
      const response = await fetch(`${this.#gateway()}/admin/api/${path}${path.includes("?") ? "&" : "?"}${page}`, {
        headers: { authorization: `Bearer ${this.token}` },
      });
      if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
      const { items, next } = Page.parse(await response.json());
      found.push(...items.map((item) => schema.parse(item)));
      after = next;
    }
    return found;
  }
}
