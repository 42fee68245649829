import { createHash } from "node:crypto";
import type { Store } from "../contract/store.ts";
import { readSubtask } from "./subtask-record.ts";

/** The id of the subtask that a call asks for: the same for the same call, another if somebody else has that one. */
export const subtaskIdFor = async (
  store: Store,
  place: { readonly tenant: string; readonly agent: string },
  callKey: string,
): Promise<string> => {
  const { tenant, agent } = place;
  for (let turn = 0; ; turn++) {
    const id = `subtask-${hash(callKey, turn)}`;
    const found = await readSubtask(store, { tenant, agent, id });
    if (found === undefined || found.callKey === callKey) return id;
  }
};

const hash = (callKey: string, turn: number): string =>
  createHash("sha256")
    .update(JSON.stringify([callKey, turn]))
    .digest("hex")
    .slice(0, 8);
