import type { SlackConfig } from "./config.ts";

interface Scope {
  readonly name: string;
  readonly without: string;
  /** Left out: it is needed always. */
  readonly neededIf?: (config: SlackConfig) => boolean;
}

const readsRooms = ({ access }: SlackConfig): boolean => access?.mentionOnly === false;

/** What the app's bot token must be allowed to do. The setup guide has the same list, with the ones that are optional. */
export const SCOPES: readonly Scope[] = [
  { name: "chat:write", without: "it cannot answer" },
  { name: "app_mentions:read", without: "it does not hear who mentions it" },
  { name: "im:history", without: "it does not hear direct messages" },
  { name: "im:write", without: "it cannot begin a direct message" },
  { name: "users:read", without: "it knows neither people's names nor their time zones" },
  { name: "commands", without: "there is no /mooring" },
  { name: "files:read", without: "it cannot read files that people attach" },
  { name: "channels:history", without: "it hears only mentions in public channels", neededIf: readsRooms },
  { name: "groups:history", without: "it hears only mentions in private channels", neededIf: readsRooms },
  { name: "mpim:history", without: "it hears only mentions in group messages", neededIf: readsRooms },
];

export const missingScopes = (granted: readonly string[], config: SlackConfig): string[] =>
  SCOPES.filter(({ name, neededIf }) => !granted.includes(name) && (neededIf?.(config) ?? true)).map(
    ({ name, without }) =>
      `the scope ${name} is missing, so ${without}: add it under OAuth & Permissions and reinstall`,
  );
