import type { WebClient } from "../fakes/web-client.ts";

/** Links two accounts as people do: a code from one, entered in the other, and a confirmation by both. */
export const linkAccounts = async (one: WebClient, other: WebClient): Promise<void> => {
  const offered = (await one.answerTo(one.command("link"))).markdown ?? "";
  const code = /[0-9A-Z]{5}-[0-9A-Z]{5}/.exec(offered)?.[0] ?? "";
  const question = (await other.answerTo(other.command("link", code))).markdown ?? "";
  const confirm = /confirm [0-9a-f]+/.exec(question)?.[0] ?? "";
  await other.answerTo(other.command("link", confirm));
  await one.answerTo(one.command("link", confirm));
};
