import type { MsgHdrs } from "nats";
import { headers } from "nats";

/** What the client keeps to itself of its headers. */
interface Inside {
  readonly headers: Map<string, string[]>;
}

/**
 * Headers whose names are spelled as the server knows them, and whose values have no line breaks. The client's own set()
 * goes through every character of every name to make sure, at every write.
 */
export const messageHeaders = (values: Readonly<Record<string, string | undefined>>): MsgHdrs => {
  const made = headers();
  const inside = (made as unknown as Inside).headers;
  for (const name in values) {
    const value = values[name];
    if (value !== undefined) inside.set(name, [value]);
  }
  return made;
};
