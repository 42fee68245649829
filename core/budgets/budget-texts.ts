import type { ReplyAction } from "../contract/messages/agent-reply.ts";
import { type Account, MICRO, type Resource } from "./accounts.ts";
import type { Refusal } from "./ledger.ts";
import { nextDay } from "./ledger-record.ts";

const WORDS: Readonly<Record<Resource, string>> = {
  turns: "turns",
  tokens: "tokens",
  cost: "cost",
  subtasks: "subtasks",
  bytes: "stored bytes",
};

const numbers = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

const number = (resource: Resource, amount: number): string =>
  resource === "cost" ? (Math.max(0, amount) / MICRO).toFixed(2) : numbers.format(Math.max(0, amount));

/** "80 of 100 turns", "1.50 of 2.00 cost". */
export const useInWords = (resource: Resource, used: number, limit: number): string =>
  `${number(resource, Math.min(used, limit))} of ${number(resource, limit)} ${WORDS[resource]}`;

/** "It renews at 00:00 UTC, in 3 h 12 min." */
export const renewal = (now: number): string => {
  const minutes = Math.max(1, Math.ceil((nextDay(now) - now) / 60_000));
  const hours = Math.floor(minutes / 60);
  const left = hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
  return `It renews at 00:00 UTC, in ${left}.`;
};

/** The text for people and models whose work a budget refuses. */
export const refusalText = ({ account, resource, why }: Refusal, used: number, now: number): string => {
  const { isOwn, daily, softShare = 1 } = account;
  const limit = daily[resource] ?? 0;
  if (why === "soft") return softText(account, softShare, useInWords(resource, used, limit));
  if (why === "unattended") {
    const whose = isOwn ? "your budget for today" : "today's budget of this assistant";
    return `Background work has used its part of ${whose}; the rest is reserved for messages of people. ${renewal(now)}`;
  }
  if (!isOwn) {
    return `The budget of this assistant for today is used up. ${renewal(now)} The operator of this service can raise it.`;
  }
  return `Your budget for today is used up (${useInWords(resource, used, limit)}). ${renewal(now)} \`/budget\` shows what is left.`;
};

const softText = ({ isOwn }: Account, softShare: number, use: string): string => {
  const percent = Math.round(softShare * 100);
  return isOwn
    ? `You have reached ${percent} % of your budget for today (${use}). Do you want to go on? Choose Continue or send ` +
        "`/budget continue`, then send your message again."
    : `This assistant has reached ${percent} % of its budget for today. An operator can let it go on.`;
};

/** The buttons of a refusal: a soft limit can be lifted for the day. */
export const refusalActions = ({ account, why }: Refusal): ReplyAction[] =>
  why === "soft" ? [{ name: "budget", label: "Continue", value: `continue ${account.subject}` }] : [];

export const warningText = (resource: Resource, percent: number, used: number, limit: number, now: number): string =>
  percent >= 100
    ? `Your budget for today is used up (${useInWords(resource, used, limit)}). ${renewal(now)}`
    : `You have used ${percent} % of your budget for today (${useInWords(resource, used, limit)}). ${renewal(now)} \`/budget\` shows what is left.`;

export const openText = (kind: keyof Account["atOnce"], { atOnce, isOwn }: Account): string => {
  const limit = atOnce[kind] ?? 0;
  if (kind === "turns") {
    return isOwn
      ? `I work on at most ${limit} of your messages at once. This one waits in line; I will answer it as soon as I can.`
      : "I am working on as many messages as I may at once. Yours waits in line; I will answer it as soon as I can.";
  }
  const whose = isOwn ? "one person may have" : "this assistant may have";
  return kind === "subtasks"
    ? `${whose} ${limit} subtasks under way at once. Wait until some of them have ended`
    : `${whose} ${limit} open schedules and reminders. Cancel one of them first; \`/schedules\` lists them`;
};
