import { cutAtGraphemes } from "../lib/index.ts";
import type { PersonAccount } from "./person-record.ts";

type Named = Pick<PersonAccount, "name" | "channel">;

/** An account as others are shown it. Names come from platforms: they must not read as mark-up or as more than a name. */
export const showAccount = ({ name, channel }: Named): string => `“${plain(name) || "somebody"}” on ${channel}`;

export const showAccounts = (accounts: readonly Named[]): string => {
  const shown = accounts.map(showAccount);
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
};

const plain = (name: string): string => cutAtGraphemes(name.replace(/[^\p{L}\p{M}\p{N}.'-]+/gu, " ").trim(), 40);
