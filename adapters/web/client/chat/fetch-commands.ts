import type { MenuCommand } from "../../../../core/contract/menu-command.ts";

const fetched = new Map<string, Promise<readonly MenuCommand[]>>();

/** The commands that the gateway offers, described in the language of a locale; none if they cannot be loaded. */
export const fetchCommands = async (url: string, locale = ""): Promise<readonly MenuCommand[]> => {
  const [language = ""] = locale.toLowerCase().split(/[-_]/);
  return (await load(url)).map(({ translations, ...command }) => ({ ...command, ...translations?.[language] }));
};

/** Loaded once. */
const load = (url: string): Promise<readonly MenuCommand[]> => {
  const known = fetched.get(url);
  if (known !== undefined) return known;
  const loading = fetch(url)
    .then((answer) => (answer.ok ? (answer.json() as Promise<readonly MenuCommand[]>) : []))
    .catch(() => {
      fetched.delete(url);
      return [];
    });
  fetched.set(url, loading);
  return loading;
};
