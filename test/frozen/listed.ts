import type { Stage } from "./stage.ts";

/** The lists of the admin API, and the field that identifies their items. */
const LISTS = {
  sessions: "sessionId",
  "subtasks?status=all": "id",
  schedules: "id",
  "dead-letters?kind=delivery": "ref",
  "dead-letters?kind=message": "ref",
  people: "id",
  channels: "channel",
  tenants: "id",
  audit: "id",
} as const;

/** The lists that an operator sees, with every turn of every session and every run of every schedule. */
export const everythingListed = async (stage: Stage): Promise<Record<string, string[]>> => {
  const listed: Record<string, string[]> = {};
  for (const [path, field] of Object.entries(LISTS)) listed[path] = await idsIn(stage, path, field);
  for (const { sessionId, agent } of await itemsIn(stage, "sessions")) {
    listed[`turns of ${sessionId}`] = await idsIn(stage, `sessions/${sessionId}/turns?agent=${agent}`, "turnId");
  }
  for (const { ref, id } of await itemsIn(stage, "schedules")) {
    listed[`runs of ${id}`] = await idsIn(stage, `schedules/${encodeURIComponent(String(ref))}/runs`, "name");
  }
  return listed;
};

type Item = Readonly<Record<string, unknown>>;

const idsIn = async (stage: Stage, path: string, field: string): Promise<string[]> =>
  (await itemsIn(stage, path)).map((item) => String(item[field]));

export const itemsIn = async (stage: Stage, path: string): Promise<Item[]> => {
  const found: Item[] = [];
  for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
    const query = new URLSearchParams({ limit: "200", ...(after !== undefined && { after }) });
    const { items, next } = await stage.admin(`${path}${path.includes("?") ? "&" : "?"}${query}`);
    found.push(...items);
    after = next;
  }
  return found;
};
