import { AppError, type ErrorCode, messageOf } from "../app-error.ts";
import { brand } from "../brand.ts";
import { english, type Texts } from "./texts.ts";

interface ToldErrorOptions {
  readonly cause?: unknown;
  /** The texts of the person who reads it, if they are known where it is thrown. */
  readonly reader?: Texts;
}

/** An error whose text people read in their own language; its message, for logs and models, is the English one. */
export class ToldError extends AppError {
  readonly say: (texts: Texts) => string;
  readonly reader: Texts | undefined;

  constructor(code: ErrorCode, say: (texts: Texts) => string, { reader, ...options }: ToldErrorOptions = {}) {
    super(code, say(english), options);
    this.say = say;
    this.reader = reader;
  }
}

/** The texts of the person who reads an error; `texts` for a reader whose language the error does not know. */
export const readerOf = (error: unknown, texts: Texts): Texts =>
  (error instanceof ToldError ? error.reader : undefined) ?? texts;

/** The text of an error for a person. `texts` are for a reader whose language the error does not know. */
export const errorText = (error: unknown, texts: Texts): string =>
  error instanceof ToldError ? error.say(readerOf(error, texts)) : messageOf(error);

brand(ToldError, "ToldError");
