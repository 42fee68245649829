import { type Budgets, type LimitUse, renewal, useInWords } from "../budgets/index.ts";
import type { Command, CommandAnswer, CommandCall } from "./command.ts";

const UNLIMITED = { markdown: "Nothing limits what I may use for you today." };

/** The caller's use of today's limits (R2), and the answer to the question of a soft limit. */
export const budget: Command = {
  name: "budget",
  needs: "talk",
  menu: {
    description: "Show your budget for today",
    argument: { name: "details", description: "continue, to go on after a soft limit" },
  },
  usage: "budget [continue]",
  summary: "what is left of your budget for today; `/budget continue` goes on after I have asked",
  privately: true,
  async run(call) {
    const budgets = call.deps.budgets.of(call.message.agent);
    if (budgets === undefined) return UNLIMITED;
    const [verb = "", subject] = call.args.split(/\s+/);
    if (verb === "") return show(call, budgets);
    if (verb.toLowerCase() !== "continue") {
      return { markdown: "`/budget` shows what is left. `/budget continue` goes on after I have asked." };
    }
    const isLifted = await budgets.lift(call.record, subject);
    return {
      markdown: isLifted
        ? "I go on for today, up to the limit. Please send your message again."
        : "Only the person whose budget it is, or an operator, can choose that.",
    };
  },
};

const show = async ({ deps, record }: CommandCall, budgets: Budgets): Promise<CommandAnswer> => {
  const uses = await budgets.usesOf(record);
  // The person and the account that speaks have the same limits; the fuller one counts.
  const own = new Map<string, LimitUse>();
  for (const use of uses.filter(({ account }) => account.isOwn)) {
    const name = `${use.account.holder}\n${use.resource}`;
    const known = own.get(name);
    if (known === undefined || known.used < use.used) own.set(name, use);
  }
  const isUsedUp = uses.some(({ account, used, limit }) => !account.isOwn && used >= limit);
  const shared = isUsedUp ? ["- The budget that all people share is used up."] : [];
  if (own.size === 0 && !isUsedUp) return UNLIMITED;
  const lines = [...own.values()].map(line);
  return { markdown: ["Used today:", ...lines, ...shared, "", renewal(deps.clock.now())].join("\n") };
};

const line = ({ account, resource, used, limit, isLifted }: LimitUse): string => {
  const left = limit === 0 ? 0 : Math.floor(Math.max(0, 1 - used / limit) * 100);
  const { softShare } = account;
  const asks = softShare === undefined || isLifted ? "" : `; I ask at ${Math.round(softShare * 100)} %`;
  const where = account.holder === "tenant" ? " with all assistants together" : "";
  return `- ${useInWords(resource, used, limit)}${where}, ${left} % left${asks}`;
};
