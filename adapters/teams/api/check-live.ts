import { messageOf } from "../../../core/contract/app-error.ts";
import type { BotToken } from "./bot-token.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** Checks the configuration with Microsoft's servers. It sends no message. */
export const checkTeams = async (
  token: Pick<BotToken, "get">,
  keys: Pick<SigningKeys, "refresh">,
  endpoint: string,
): Promise<string[]> => {
  const problems = await Promise.all([problemOf(token.get()), problemOf(keys.refresh()), unreachable(endpoint)]);
  return problems.filter((problem) => problem !== undefined);
};

const problemOf = (work: Promise<unknown>): Promise<string | undefined> => work.then(() => undefined, messageOf);

const unreachable = (endpoint: string): string | undefined =>
  endpoint.startsWith("https://")
    ? undefined
    : `Teams only calls https addresses, and its messaging endpoint would be ${endpoint}: set gateway.publicUrl to the public https address of this gateway`;
