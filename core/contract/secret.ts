import { z } from "zod";

/** A value that must never be shown. Printed in any way it reads "[secret]"; only reveal() gives it. */
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

  /** What util.inspect and console.log print; the symbol is global, so nothing of Node is imported. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return SHOWN;
  }
}

const SHOWN = "[secret]";

export interface SecretRules {
  readonly minLength?: number;
  /** What every secret of this kind begins with: tells two that were mixed up. */
  readonly startsWith?: string;
}

/** Text in the file, a Secret from there on. It is looked at after the environment was filled in. */
export const secret = ({ minLength = 1, startsWith = "" }: SecretRules = {}) =>
  z
    .string()
    .refine((value) => value.length >= minLength, {
      error: minLength === 1 ? "must not be empty" : `must have at least ${minLength} characters`,
    })
    .refine((value) => value === "" || value.startsWith(startsWith), { error: `must begin with "${startsWith}"` })
    .transform((value) => new Secret(value));
