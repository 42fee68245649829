import { TimeZone } from "../../contract/messages/delivery-policy.ts";
import { timeZoneOf } from "../../contract/relative-time.ts";
import { changePerson, type PersonRecord, zoneOfPerson } from "../../people/index.ts";
import type { Command } from "../command.ts";

/** The person's own time zone, for times in their words, quiet hours and what the agent knows about the time (M1). */
export const timezone: Command = {
  name: "timezone",
  needs: "talk",
  argument: "zone",
  usage: "timezone [Europe/Berlin | auto]",
  privately: true,
  async run({ deps: { store }, message, args, defaults, texts }) {
    const words = texts.timezone;
    const answer = (text: string) => ({ markdown: `${text} ${words.usage}` });
    const { tenant, conversation, account } = message;
    const change = changeFor(args);
    if (change === undefined) return answer(words.notAZone(args.slice(0, 60)));
    const person = await changePerson(store, { tenant, channel: conversation.channel, accountId: account.id }, change);
    if (person.timeZone !== undefined) return answer(words.own(person.timeZone));
    const reported = account.timeZone ?? (conversation.kind === "private" ? zoneOfPerson(person) : undefined);
    return answer(
      reported === undefined ? words.unknown(timeZoneOf(defaults)) : words.reported(timeZoneOf({ timeZone: reported })),
    );
  },
};

type Change = (person: PersonRecord) => PersonRecord;

/** Undefined: the argument is not a time zone. */
const changeFor = (args: string): Change | undefined => {
  if (args === "") return (person) => person;
  if (args.toLowerCase() === "auto") return ({ timeZone: _, ...person }) => person;
  if (args.length > MAX_ZONE_CHARS || !TimeZone.safeParse(args).success) return undefined;
  const timeZone = spelled(args);
  return (person) => ({ ...person, timeZone });
};

const MAX_ZONE_CHARS = 64;

/** Zones are valid in any case. Intl would also replace names, such as Kolkata by Calcutta. */
const spelled = (zone: string): string => {
  const known = Intl.supportedValuesOf("timeZone").find((each) => each.toLowerCase() === zone.toLowerCase());
  if (known !== undefined) return known;
  return zone === zone.toLowerCase() ? zone.replace(/(?<=^|[/_-])[a-z]/g, (letter) => letter.toUpperCase()) : zone;
};
