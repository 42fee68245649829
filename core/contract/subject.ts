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
}

export const subject = <T>(
  tenant: string,
  family: string,
  schema: z.ZodType<T>,
  ...parts: readonly string[]
): Subject<T> => ({ tenant: encodeToken(tenant), family, parts: parts.map(encodeToken), schema });

/** The one spelling of a subject, without the partition and the deployment's prefix that a backbone may add. */
export const subjectName = ({ tenant, family, parts }: Subject<unknown>): string =>
  [tenant, family, ...parts].join(".");
