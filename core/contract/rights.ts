import type { Cause } from "./messages/work-context.ts";
import { english, type Texts } from "./texts/texts.ts";

/** The rights that the configuration can grant, besides single tools. */
export const ABILITIES = english.rights.abilities;

export type Ability = keyof typeof ABILITIES;

/** The right that an action needs. Everybody who may write to the agent may "talk". A tool of the operator has its own. */
export type Need = "talk" | Ability | `tool:${string}`;

/** A piece of work, or its asker. */
export interface Caused {
  readonly causes?: readonly Cause[] | undefined;
}

/** Answers for the causes of one piece of work whether it may do something (R1). */
export interface Permit {
  allows(need: Need): boolean;
  /** Whether it may allow a need that begins like this, for tools whose names are not known yet. */
  allowsSome(beginning: `tool:${string}`): boolean;
  /** Why it may not, for the model or in the language of a person; undefined if it may. */
  refusalOf(need: Need, texts?: Texts): string | undefined;
  /** Whether it allows everything that work with these causes may do. */
  includes(work: Caused): boolean;
  /** Throws "forbidden" with the refusal. */
  ensure(need: Need): void;
}
