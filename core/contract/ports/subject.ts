import type { z } from "zod";
import { encodeToken } from "./token.ts";

/** The address of messages of one kind, with their schema, which the receiver parses them by. */
export interface Subject<T> {
  readonly tenant: string;
  /** "user.message". All subjects of one family share a stream. */
  readonly family: string;
  /** The parts after the family, encoded: an agent or a channel. */
  readonly parts: readonly string[];
  readonly schema: z.ZodType<T>;
  /** Usually without a listener: a signal is not sent then, and `listen` takes a moment to resolve. */
  readonly rarelyObserved: boolean;
  /** The full name, without the partition and the prefix that a backbone may add. */
  readonly name: string;
}

export const subject = <T>(
  tenant: string,
  family: string,
  schema: z.ZodType<T>,
  ...parts: readonly string[]
): Subject<T> => {
  const encoded = { tenant: encodeToken(tenant), parts: parts.map(encodeToken) };
  return {
    ...encoded,
    family,
    schema,
    rarelyObserved: false,
    name: [encoded.tenant, family, ...encoded.parts].join("."),
  };
};

/** The subjects of one family, cached, because each message needs several. */
export const subjectFamily = <T>(
  tenant: string,
  family: string,
  schema: z.ZodType<T>,
  { rarelyObserved = false } = {},
): ((part: string) => Subject<T>) => {
  const byPart = new Map<string, Subject<T>>();
  return (part) => {
    const cached = byPart.get(part) ?? { ...subject(tenant, family, schema, part), rarelyObserved };
    byPart.set(part, cached);
    return cached;
  };
};
