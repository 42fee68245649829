import type { DeliveryDefaults, DeliveryPolicy } from "../../contract/messages/delivery-policy.ts";
import { OriginKind, QuietHours, Reach } from "../../contract/messages/delivery-policy.ts";
import type { Texts } from "../../contract/texts/texts.ts";
import { changePerson, type PersonRecord } from "../../people/index.ts";
import type { Command } from "../command.ts";

/** When and where proactive messages reach the person (D2). */
export const quiet: Command = {
  name: "quiet",
  needs: "talk",
  argument: "hours",
  usage: "quiet [22:00-07:00 | off | …]",
  privately: true,
  async run({ deps: { store }, message, args, defaults, texts }) {
    const address = { tenant: message.tenant, channel: message.conversation.channel, accountId: message.account.id };
    const change = args === "" ? (person: PersonRecord) => person : changeFor(args);
    if (change === undefined) return { markdown: `${texts.quiet.unclear(args.slice(0, 60))}\n${texts.quiet.usage}` };
    const person = await changePerson(store, address, change);
    const settings = settingsOf(person, defaults, texts);
    return { markdown: args === "" ? `${settings}\n\n${texts.quiet.usage}` : settings };
  },
};

type Change = (person: PersonRecord) => PersonRecord;

const changeFor = (args: string): Change | undefined => {
  const [setting = "", more] = args.split(/\s+/);
  if (setting === "default") return ({ quiet: _, policy: __, ...person }) => person;
  if (setting === "off") return (person) => ({ ...person, quiet: "off" });
  const reach = Reach.safeParse(setting);
  if (reach.success) {
    const kind = OriginKind.safeParse(more);
    if (!kind.success) return more === undefined ? (person) => withPolicy(person, { default: reach.data }) : undefined;
    return (person) => withPolicy(person, { ...person.policy, [kind.data]: reach.data });
  }
  const [, from, to] = /^(\d{1,2}:\d{2})[-–](\d{1,2}:\d{2})$/.exec(setting) ?? [];
  const hours = QuietHours.safeParse({
    from: from?.padStart(5, "0"),
    to: to?.padStart(5, "0"),
    ...(more !== undefined && { timeZone: more }),
  });
  return hours.success ? (person) => ({ ...person, quiet: hours.data }) : undefined;
};

const withPolicy = (person: PersonRecord, policy: DeliveryPolicy): PersonRecord => ({ ...person, policy });

const settingsOf = ({ quiet, policy }: PersonRecord, defaults: DeliveryDefaults, texts: Texts): string => {
  const { byDefault, ...words } = texts.quiet;
  const hours = quiet === undefined ? byDefault(hoursOf(defaults.quietHours ?? "off", texts)) : hoursOf(quiet, texts);
  const reach = reachText(texts, policy) || byDefault(reachText(texts, { default: "everywhere", ...defaults.policy }));
  return `${words.hours(hours)}\n${words.reach(reach)}`;
};

/** The names of reaches and kinds are arguments of the command, so they are not translated. */
const reachText = ({ quiet }: Texts, policy: DeliveryPolicy = {}): string =>
  Object.entries(policy)
    .map(([kind, reach]) => (kind === "default" ? reach : quiet.forKind(reach, kind)))
    .join(", ");

const hoursOf = (hours: QuietHours | "off", { quiet }: Texts): string => {
  if (hours === "off") return quiet.off;
  const shown = `${hours.from}–${hours.to}`;
  return hours.timeZone === undefined ? quiet.inYourZone(shown) : `${shown}, ${hours.timeZone}`;
};
