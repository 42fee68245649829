import { headers, type MsgHdrs } from "nats";

/** The private field of the client's headers. */
interface HeadersInternals {
  readonly headers: Map<string, string[]>;
}

/**
 * Names must be in canonical form and values without line breaks: this skips the client's set(), which checks each
 * character of each name at each write.
 */
export const messageHeaders = (values: Readonly<Record<string, string | undefined>>): MsgHdrs => {
  const made = headers();
  const internals = (made as unknown as HeadersInternals).headers;
  for (const name in values) {
    const value = values[name];
    if (value !== undefined) internals.set(name, [value]);
  }
  return made;
};
