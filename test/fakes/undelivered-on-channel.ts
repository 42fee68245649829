import type { Store } from "../../core/contract/ports/store.ts";
import { type Undelivered, undeliveredOn } from "../../core/delivery/undelivered/undelivered.ts";

/** The undelivered entries of a channel, newest first. */
export const undeliveredOnChannel = async (store: Store, channel: string): Promise<Undelivered[]> => {
  const found: Undelivered[] = [];
  for await (const { value } of store.list(undeliveredOn("default", channel))) found.push(value);
  return found;
};
