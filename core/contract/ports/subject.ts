import type { z } from "zod";
import { encodeToken } from "./token.ts";

/** Where messages of one kind travel. The schema goes with it, so that bytes are parsed exactly where they enter. */
export interface Subject<T> {
  readonly tenant: string;
  /** "user.message": all subjects of one family share their storage. */
  readonly family: string;
  /** The parts after the family, already encoded: an agent, a channel. */
  readonly parts: readonly string[];
  readonly schema: z.ZodType<T>;
  /** Mostly nobody listens: a signal is then spared, and it may take a moment to begin to listen. */
  readonly seldomHeard: boolean;
  /** Its one spelling, without the partition and the deployment's prefix that a backbone may add. */
  readonly name: string;
}

export const subject = <T>(
  tenant: string,
  family: string,
  schema: z.ZodType<T>,
  ...parts: readonly string[]
): Subject<T> => {
  const spelled = { tenant: encodeToken(tenant), parts: parts.map(encodeToken) };
  return { ...spelled, family, schema, seldomHeard: false, name: [spelled.tenant, family, ...spelled.parts].join(".") };
};

/** The subjects of one family, each made once: every message asks for some. */
export const subjectFamily = <T>(
  tenant: string,
  family: string,
  schema: z.ZodType<T>,
  { seldomHeard = false } = {},
): ((part: string) => Subject<T>) => {
  const made = new Map<string, Subject<T>>();
  return (part) => {
    const known = made.get(part) ?? { ...subject(tenant, family, schema, part), seldomHeard };
    made.set(part, known);
    return known;
  };
};
