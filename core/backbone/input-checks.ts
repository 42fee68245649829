import { AppError, messageOf } from "../contract/app-error.ts";
import { type ConsumeOptions, MAX_ID_LENGTH } from "../contract/ports/bus.ts";

export const checkConsumeOptions = <T>({ durable, concurrency }: ConsumeOptions<T>): void => {
  if (Number.isInteger(concurrency) && concurrency >= 1) return;
  throw new AppError(
    "bad-input",
    `the concurrency of "${durable}" must be a whole number of at least 1 (got ${concurrency})`,
  );
};

export const checkMessageId = (id: string, subject: string): void => {
  if (id.length <= MAX_ID_LENGTH) return;
  throw new AppError(
    "too-large",
    `an id on ${subject} has ${id.length} characters; at most ${MAX_ID_LENGTH} are allowed`,
  );
};

/** Throws "bad-input" for a value without a JSON form, and "too-large" above `maxBytes` of UTF-8. */
export const toJson = (value: unknown, what: string, maxBytes: number): string => {
  const json = stringify(value, what);
  // A UTF-16 unit takes at most 3 bytes of UTF-8, so the bytes of most values need no counting.
  const bytes = json.length * 3 <= maxBytes ? 0 : Buffer.byteLength(json);
  if (bytes > maxBytes) {
    throw new AppError("too-large", `${what} has ${bytes} bytes of JSON; at most ${maxBytes} are allowed`);
  }
  return json;
};

const stringify = (value: unknown, what: string): string => {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    throw new AppError("bad-input", `${what} cannot be written as JSON: ${messageOf(error)}`, { cause: error });
  }
  if (json === undefined) throw new AppError("bad-input", `${what} cannot be written as JSON: it is ${typeof value}`);
  return json;
};
