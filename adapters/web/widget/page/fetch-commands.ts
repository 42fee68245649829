import type { MenuCommand } from "../../../../core/contract/menu-command.ts";

let fetched: Promise<readonly MenuCommand[]> | undefined;

/** The commands that the gateway offers, loaded once; none if they cannot be loaded. */
export const fetchCommands = (url: string): Promise<readonly MenuCommand[]> => {
  fetched ??= fetch(url)
    .then((answer) => (answer.ok ? answer.json() : []))
    .catch(() => {
      fetched = undefined;
      return [];
    });
  return fetched;
};
