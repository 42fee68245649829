import { AppError } from "../contract/app-error.ts";
import { MAX_ID_LENGTH } from "../contract/bus.ts";

export const checkMessageId = (id: string, subject: string): void => {
  if (id.length <= MAX_ID_LENGTH) return;
  throw new AppError("too-large", `an id on ${subject} has ${id.length} characters; ${MAX_ID_LENGTH} is the most`);
};
