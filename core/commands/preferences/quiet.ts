import type { DeliveryDefaults, DeliveryPolicy } from "../../contract/messages/delivery-policy.ts";
import { OriginKind, QuietHours, Reach } from "../../contract/messages/delivery-policy.ts";
import { changePerson, type PersonRecord } from "../../people/index.ts";
import type { Command } from "../command.ts";

const USAGE = [
  "- `/quiet 22:00-07:00`: messages that I send on my own wait until 07:00. You can add a time zone, such as Europe/Berlin",
  "- `/quiet off`: no quiet hours",
  "- `/quiet everywhere`: I send them on all your channels",
  "- `/quiet origin`: I send them only where the work began",
  "- `/quiet last-active`: I send them there, and where you last wrote to me",
  "- `/quiet origin shared`: the same, only for work that began in a room. Other kinds: private (with you alone), " +
    "scheduled, a2a-inbound (for another agent)",
  "- `/quiet default`: back to the defaults",
].join("\n");

/** When and where proactive messages reach the person (D2). */
export const quiet: Command = {
  name: "quiet",
  needs: "talk",
  menu: {
    description: "Quiet hours, and where I may message you first",
    argument: { name: "hours", description: "Such as 22:00-07:00, or off" },
  },
  usage: "quiet [22:00-07:00 | off | …]",
  summary: "when and where I may message you first; `/quiet` alone lists the choices",
  privately: true,
  async run({ deps: { store }, message, args, defaults }) {
    const address = { tenant: message.tenant, channel: message.conversation.channel, accountId: message.account.id };
    const change = args === "" ? (person: PersonRecord) => person : changeFor(args);
    if (change === undefined)
      return { markdown: `I don't understand "${args.slice(0, 60)}". Try one of these:\n${USAGE}` };
    const person = await changePerson(store, address, change);
    const settings = settingsOf(person, defaults);
    return { markdown: args === "" ? `${settings}\n\n${USAGE}` : settings };
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

const settingsOf = ({ quiet, policy }: PersonRecord, defaults: DeliveryDefaults): string => {
  const hours = quiet === undefined ? `${hoursOf(defaults.quietHours ?? "off")} (the default)` : hoursOf(quiet);
  const reach = reachText(policy) || `${reachText({ default: "everywhere", ...defaults.policy })} (the default)`;
  return `Quiet hours: ${hours}.\nWhere I message you first: ${reach}.`;
};

const reachText = (policy: DeliveryPolicy = {}): string =>
  Object.entries(policy)
    .map(([kind, reach]) => (kind === "default" ? reach : `${reach} for ${kind} work`))
    .join(", ");

const hoursOf = (quiet: QuietHours | "off"): string => {
  if (quiet === "off") return "off";
  return `${quiet.from}–${quiet.to}${quiet.timeZone === undefined ? ", in your time zone" : `, ${quiet.timeZone}`}`;
};
