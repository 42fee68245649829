import { RevisionConflict } from "../../../core/contract/app-error.ts";

/** Retries after a lost race or a simulated crash, as the bus does. */
export const withRetries = async <T>(act: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof RevisionConflict) && !String(error).includes("simulated crash")) throw error;
    }
  }
};
