import { AppError } from "../contract/app-error.ts";
import type { ConsumeOptions } from "../contract/bus.ts";

export const checkConsumeOptions = <T>({ durable, concurrency }: ConsumeOptions<T>): void => {
  if (Number.isInteger(concurrency) && concurrency >= 1) return;
  throw new AppError(
    "bad-input",
    `"${durable}" cannot run ${concurrency} handlers at once: give a whole number from 1`,
  );
};
