import { useState } from "preact/hooks";
import { explainError } from "../api/refused.ts";
import { useConsole } from "./console-context.ts";

interface Action {
  readonly isBusy: boolean;
  /** Resolves to whether it succeeded. Shows a notice in both cases. */
  run(): Promise<boolean>;
}

/** An action of the operator: it runs once at a time and always ends with a notice. */
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
      const { what, advice } = explainError(error);
      notify({ text: what, advice, isBad: true });
      return false;
    } finally {
      setBusy(false);
      // Also after an error, because the page may show outdated data.
      done?.();
    }
  };
  return { isBusy, run };
};
