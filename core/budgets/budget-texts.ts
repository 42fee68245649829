import type { ReplyAction } from "../contract/messages/agent-reply.ts";
import { english, type Texts } from "../contract/texts/texts.ts";
import { type Account, MICRO, type Resource } from "./accounts.ts";
import type { Refusal } from "./ledger.ts";
import { nextDay } from "./ledger-record.ts";
import { BudgetRefused } from "./refused.ts";

const number = (resource: Resource, amount: number, { budget: { numbers } }: Texts): string => {
  const isCost = resource === "cost";
  const format = new Intl.NumberFormat(numbers, {
    minimumFractionDigits: isCost ? 2 : 0,
    maximumFractionDigits: isCost ? 2 : 0,
    useGrouping: !isCost,
  });
  return format.format(Math.max(0, isCost ? amount / MICRO : amount));
};

/** "80 of 100 turns", "1.50 of 2.00 cost". */
export const useInWords = (resource: Resource, used: number, limit: number, texts: Texts = english): string =>
  texts.budget.use(
    number(resource, Math.min(used, limit), texts),
    number(resource, limit, texts),
    texts.budget.resources[resource],
  );

/** "It renews at 00:00 UTC, in 3 h 12 min." */
export const renewal = (now: number, { budget }: Texts): string => {
  const minutes = Math.max(1, Math.ceil((nextDay(now) - now) / 60_000));
  const hours = Math.floor(minutes / 60);
  return budget.renewal(hours === 0 ? budget.minutes(minutes) : budget.hours(hours, minutes % 60));
};

/** The text for people, in their language, and for models whose work a budget refuses. */
export const refusalText = ({ account, resource, why }: Refusal, used: number, now: number, texts: Texts): string => {
  const { isOwn, daily, softShare = 1 } = account;
  const { budget } = texts;
  const limit = daily[resource] ?? 0;
  const use = useInWords(resource, used, limit, texts);
  const percent = Math.round(softShare * 100);
  if (why === "soft") return isOwn ? budget.softOwn(percent, use) : budget.softShared(percent);
  if (why === "unattended") return `${isOwn ? budget.ownBackground : budget.sharedBackground} ${renewal(now, texts)}`;
  return isOwn
    ? `${budget.usedUp(use)} ${renewal(now, texts)} ${budget.showsWhatIsLeft}`
    : `${budget.assistantUsedUp} ${renewal(now, texts)} ${budget.operatorCanRaise}`;
};

/** The error with this text, and with a button for a soft limit, which can be lifted for the day. */
export const refused = (refusal: Refusal, used: number, now: number, texts: Texts): BudgetRefused =>
  new BudgetRefused(refusalText(refusal, used, now, texts), refusalActions(refusal, texts));

const refusalActions = ({ account, why }: Refusal, { budget }: Texts): ReplyAction[] =>
  why === "soft" ? [{ name: "budget", label: budget.continueButton, value: `continue ${account.subject}` }] : [];

export const warningText = (
  { resource, percent, used, limit }: { readonly resource: Resource; percent: number; used: number; limit: number },
  now: number,
  texts: Texts,
): string => {
  const use = useInWords(resource, used, limit, texts);
  return percent >= 100
    ? `${texts.budget.usedUp(use)} ${renewal(now, texts)}`
    : `${texts.budget.warning(percent, use)} ${renewal(now, texts)} ${texts.budget.showsWhatIsLeft}`;
};

/** The notice to a person whose message waits for a place. */
export const waitText = ({ atOnce, isOwn }: Account, { budget }: Texts): string =>
  isOwn ? budget.waitsOwn(atOnce.turns ?? 0) : budget.waitsShared;

/** For the model, which words it for the person. */
export const openText = (kind: "subtasks" | "schedules", { atOnce, isOwn }: Account): string => {
  const limit = atOnce[kind] ?? 0;
  const whose = isOwn ? "one person may have" : "this assistant may have";
  return kind === "subtasks"
    ? `${whose} ${limit} subtasks under way at once. Wait until some of them have ended`
    : `${whose} ${limit} open schedules and reminders. Cancel one of them first; \`/schedules\` lists them`;
};
