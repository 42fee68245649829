import { AppError, messageOf } from "../../contract/app-error.ts";

/** The JSON of it. `what` names it in the error for a value that has none, or too much of it. */
export const jsonBytes = (value: unknown, mostBytes: number, what: string): Uint8Array => {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    throw new AppError("bad-input", `${what} cannot be written as JSON: ${messageOf(error)}`, { cause: error });
  }
  if (json === undefined) throw new AppError("bad-input", `${what} cannot be written as JSON: it is ${typeof value}`);
  const data = Buffer.from(json);
  if (data.length <= mostBytes) return data;
  throw new AppError("too-large", `${what} has ${data.length} bytes; ${mostBytes} is the most`);
};
