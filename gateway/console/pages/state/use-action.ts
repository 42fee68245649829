import { useState } from "preact/hooks";
import { explained } from "../api/explained.ts";
import { useConsole } from "./console-context.ts";

export interface Action {
  readonly isBusy: boolean;
  /** Resolves to whether it was done. Either way the operator is told. */
  run(): Promise<boolean>;
}

/** Something an operator does: once at a time, and never without a word about what came of it. */
export const useAction = (act: () => Promise<string>, done?: () => void): Action => {
  const { notify } = useConsole();
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<boolean> => {
    if (isBusy) return false;
    setBusy(true);
    try {
      notify({ text: await act(), isBad: false });
      return true;
    } catch (error) {
      const { what, advice } = explained(error);
      notify({ text: what, advice, isBad: true });
      return false;
    } finally {
      setBusy(false);
      // Also after a refusal: what is shown may be what was wrong.
      done?.();
    }
  };
  return { isBusy, run };
};
