import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Me } from "../../../admin-api/index.ts";
import type { AdminClient } from "../api/admin-client.ts";

export interface Notice {
  readonly text: string;
  readonly advice?: string;
  readonly isBad: boolean;
}

/** Available to every page. */
interface ConsoleContext {
  readonly client: AdminClient;
  readonly me: Me;
  /** Shows the result of an action. */
  notify(notice: Notice): void;
}

export const ConsoleProvider = createContext<ConsoleContext | undefined>(undefined);

export const useConsole = (): ConsoleContext => {
  const found = useContext(ConsoleProvider);
  if (found === undefined) throw new Error("useConsole must be called inside ConsoleProvider");
  return found;
};
