import { type Budgets, type LimitUse, renewal, useInWords } from "../budgets/index.ts";
import type { Texts } from "../contract/texts/texts.ts";
import type { Command, CommandAnswer, CommandCall } from "./command.ts";

/** The caller's use of today's limits (R2), and the answer to the question of a soft limit. */
export const budget: Command = {
  name: "budget",
  needs: "talk",
  argument: "details",
  usage: "budget [continue]",
  privately: true,
  async run(call) {
    const texts = call.texts.budget;
    const budgets = call.deps.budgets.of(call.message.agent);
    if (budgets === undefined) return { markdown: texts.unlimited };
    const [verb = "", subject] = call.args.split(/\s+/);
    if (verb === "") return show(call, budgets);
    if (verb.toLowerCase() !== "continue") return { markdown: texts.usage };
    const isLifted = await budgets.lift(call.record, subject);
    return { markdown: isLifted ? texts.lifted : texts.notYours };
  },
};

const show = async ({ deps, record, texts }: CommandCall, budgets: Budgets): Promise<CommandAnswer> => {
  const uses = await budgets.usesOf(record);
  // The person and the account that speaks have the same limits; the fuller one counts.
  const own = new Map<string, LimitUse>();
  for (const use of uses.filter(({ account }) => account.isOwn)) {
    const name = `${use.account.holder}\n${use.resource}`;
    const known = own.get(name);
    if (known === undefined || known.used < use.used) own.set(name, use);
  }
  const isUsedUp = uses.some(({ account, used, limit }) => !account.isOwn && used >= limit);
  const shared = isUsedUp ? [`- ${texts.budget.sharedUsedUp}`] : [];
  if (own.size === 0 && !isUsedUp) return { markdown: texts.budget.unlimited };
  const lines = [...own.values()].map((use) => line(use, texts));
  return { markdown: [texts.budget.heading, ...lines, ...shared, "", renewal(deps.clock.now(), texts)].join("\n") };
};

const line = ({ account, resource, used, limit, isLifted }: LimitUse, texts: Texts): string => {
  const left = limit === 0 ? 0 : Math.floor(Math.max(0, 1 - used / limit) * 100);
  const { softShare } = account;
  const asks = softShare === undefined || isLifted ? "" : `; ${texts.budget.asksAt(Math.round(softShare * 100))}`;
  const where = account.holder === "tenant" ? texts.budget.allAssistants : "";
  return `- ${useInWords(resource, used, limit, texts)}${where}, ${texts.budget.left(left)}${asks}`;
};
