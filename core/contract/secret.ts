import { z } from "zod";

/** A value that must never be shown. Printing and serialising give "[secret]"; only reveal() returns the value. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
    Object.freeze(this);
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return SHOWN;
  }

  toJSON(): string {
    return SHOWN;
  }

  /** For util.inspect and console.log. The symbol is global, so no Node module is imported. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return SHOWN;
  }
}

const SHOWN = "[secret]";

export interface SecretRules {
  readonly minLength?: number;
  /** The prefix of every secret of this kind; detects a mix-up of two secrets. */
  readonly startsWith?: string;
}

/** Parses text to a Secret, after the variables of the environment were inserted. */
export const secret = ({ minLength = 1, startsWith = "" }: SecretRules = {}) =>
  z
    .string()
    .refine((value) => value.length >= minLength, {
      error: minLength === 1 ? "must not be empty" : `must have at least ${minLength} characters`,
    })
    .refine((value) => value === "" || value.startsWith(startsWith), { error: `must begin with "${startsWith}"` })
    .transform((value) => new Secret(value));
