import { AppError } from "../contract/app-error.ts";

/** Undefined also if what is stored cannot be read: others must not wait for it. */
export const unlessUnreadable = async <T>(reading: Promise<T | undefined>): Promise<T | undefined> => {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof AppError && error.code === "data-unusable") return undefined;
    throw error;
  }
};
