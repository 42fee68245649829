import { AppError, messageOf } from "../contract/app-error.ts";

/** What is stored of a value; refuses what has no JSON, and more bytes than both backbones can hold. */
export const toJson = (value: unknown, what: string, maxBytes: number): string => {
  const json = stringify(value, what);
  // No UTF-16 unit takes more than 3 bytes of UTF-8: most values need no counting.
  const bytes = json.length * 3 <= maxBytes ? 0 : Buffer.byteLength(json);
  if (bytes > maxBytes) {
    throw new AppError("too-large", `${what} has ${bytes} bytes of JSON; ${maxBytes} is the most`);
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
