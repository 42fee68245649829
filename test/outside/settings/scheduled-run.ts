import { expect } from "vitest";
import type { RunningProduct } from "./settings-rig.ts";

/** A zone six hours ahead of UTC: what is now there is not now here. */
export const FAR_ZONE = "Etc/GMT-6";
const HOUR_MS = 3_600_000;

/** The time of day so many hours from now, in UTC. */
const at = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString().slice(11, 16);

/** `delivery` and `timeZone` that differ in whether it is quiet now; the first name is the one where it is. */
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

/** Has an operator start a schedule. Resolves to what names it. */
export const beginRun = async (product: RunningProduct, name: string): Promise<string> => {
  const { items } = await product.admin<{ items: Listed[] }>("schedules?limit=200");
  const ref = items.find(({ description }) => description === name)?.ref;
  if (ref === undefined) throw new Error(`no schedule "${name}" among ${items.map(({ description }) => description)}`);
  await product.admin(`schedules/${ref}/run`, { method: "POST" });
  return ref;
};

/** The same. Resolves to what became of its answer, once that is decided. */
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

/** Where the answers of a message, and of all that came of it, have been sent. */
export const deliveriesOf = async (product: RunningProduct, messageId: string): Promise<readonly ShownDelivery[]> => {
  const { turns = [] } = await product.admin<Trace>(`traces/${encodeURIComponent(messageId)}`);
  return turns.flatMap(({ reply }) => reply?.deliveries ?? []);
};

/** Of each quiet setting, whether the answer of its schedule, called `<channel>-<setting>`, was kept back. */
export const keptBack = async (product: RunningProduct, channel: string): Promise<Record<string, boolean>> => {
  const states: Record<string, boolean> = {};
  for (const name of Object.keys(quietSettings())) {
    const deliveries = await runSchedule(product, `${channel}-${name}`);
    states[name] = deliveries.every(({ state }) => state === "withdrawn");
  }
  return states;
};

export const ONLY_HELD = { held: true, later: false, over: false, elsewhere: false, zoned: false };
