import { expect } from "vitest";
import type { RunningProduct } from "./settings-rig.ts";

/** A zone six hours ahead of UTC, so that quiet hours differ between the two. */
export const FAR_ZONE = "Etc/GMT-6";
const HOUR_MS = 3_600_000;

/** The time of day in this many hours, in UTC. */
const at = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString().slice(11, 16);

/** Settings of quiet hours by name; only `held` makes it quiet now. */
export const quietSettings = () => ({
  held: { delivery: { quietHours: { from: at(-1), to: at(1) } } },
  later: { delivery: { quietHours: { from: at(1), to: at(2) } } },
  over: { delivery: { quietHours: { from: at(-2), to: at(-1) } } },
  elsewhere: { delivery: { quietHours: { from: at(-1), to: at(1), timeZone: FAR_ZONE } } },
  zoned: { timeZone: FAR_ZONE, delivery: { quietHours: { from: at(-1), to: at(1) } } },
});
export type Quiet = keyof ReturnType<typeof quietSettings>;

/** A schedule that only an operator starts. Its description is its name. */
export const yearly = (name: string, deliverTo?: object) => ({
  name,
  description: name,
  prompt: `Say ${name}.`,
  when: "0 0 1 1 *",
  ...(deliverTo && { deliverTo }),
});

interface Listed {
  readonly ref: string;
  readonly description: string;
}
interface Run {
  readonly state: string;
  readonly messageId?: string;
}
export interface ShownDelivery {
  readonly conversation: { readonly channel: string; readonly room: string };
  readonly state: string;
}

/** Starts a schedule as an operator. Resolves to its ref. */
export const beginRun = async (product: RunningProduct, name: string): Promise<string> => {
  const { items } = await product.admin<{ items: Listed[] }>("schedules?limit=200");
  const ref = items.find(({ description }) => description === name)?.ref;
  if (ref === undefined) throw new Error(`no schedule "${name}" among ${items.map(({ description }) => description)}`);
  await product.admin(`schedules/${ref}/run`, { method: "POST" });
  return ref;
};

/** Starts a schedule as an operator. Resolves to the deliveries of its answer, once each has an outcome. */
export const runSchedule = async (product: RunningProduct, name: string): Promise<readonly ShownDelivery[]> => {
  const ref = await beginRun(product, name);
  let deliveries: readonly ShownDelivery[] = [];
  const isDecided = async () => {
    const [run] = (await product.admin<{ items: Run[] }>(`schedules/${ref}/runs`)).items;
    if (run?.state !== "ended" || run.messageId === undefined) return false;
    deliveries = await deliveriesOf(product, run.messageId);
    return deliveries.length > 0 && deliveries.every(({ state }) => DECIDED.includes(state));
  };
  await expect.poll(isDecided, { message: `the answer of the schedule "${name}"` }).toBe(true);
  return deliveries;
};

const DECIDED = ["accepted", "logged", "withdrawn", "failed", "given-up"];

interface Trace {
  readonly turns?: readonly { readonly reply?: { readonly deliveries: readonly ShownDelivery[] } }[];
}

/** The deliveries of the answers in the trace of a message. */
export const deliveriesOf = async (product: RunningProduct, messageId: string): Promise<readonly ShownDelivery[]> => {
  const { turns = [] } = await product.admin<Trace>(`traces/${encodeURIComponent(messageId)}`);
  return turns.flatMap(({ reply }) => reply?.deliveries ?? []);
};

/** For each quiet setting, whether the answer of its schedule, `<channel>-<setting>`, was held. */
export const heldItems = async (product: RunningProduct, channel: string): Promise<Record<string, boolean>> => {
  const states: Record<string, boolean> = {};
  for (const name of Object.keys(quietSettings())) {
    const deliveries = await runSchedule(product, `${channel}-${name}`);
    states[name] = deliveries.every(({ state }) => state === "withdrawn");
  }
  return states;
};

export const ONLY_HELD = { held: true, later: false, over: false, elsewhere: false, zoned: false };
