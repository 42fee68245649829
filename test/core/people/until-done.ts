import { RevisionConflict } from "../../../core/contract/app-error.ts";

/** As the bus does it: what lost a compare-and-set, or was killed, comes again. */
export const untilDone = async <T>(act: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof RevisionConflict) && !String(error).includes("killed")) throw error;
    }
  }
};
