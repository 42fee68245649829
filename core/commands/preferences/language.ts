import { Locale } from "../../contract/messages/delivery-policy.ts";
import { languageOf, textsFor } from "../../contract/texts/texts.ts";
import { changePerson, type PersonRecord, resolvedAsker } from "../../people/index.ts";
import type { Command } from "../command.ts";

/** The person's own language and form of dates, which override the locale that platforms report. */
export const language: Command = {
  name: "language",
  needs: "talk",
  argument: "language",
  usage: "language [en | de | es | auto]",
  privately: true,
  async run({ deps: { store }, message, args, defaults, texts }) {
    const { tenant, conversation, account } = message;
    const address = { tenant, channel: conversation.channel, accountId: account.id };
    const change = changeFor(args);
    if (change === undefined) return { markdown: texts.language.notALanguage(args.slice(0, 60)) };
    const person = await changePerson(store, address, change);
    // Of the changed record, so that the answer is already in the chosen language.
    const { locale } = resolvedAsker(person, message);
    const words = textsFor(locale ?? defaults.locale).language;
    const state = person.locale !== undefined ? words.own : locale !== undefined ? words.reported : words.unknown;
    return { markdown: `${state(words.name)} ${words.usage}` };
  },
};

type Change = (person: PersonRecord) => PersonRecord;

const MAX_LOCALE_CHARS = 35;

/** "de", or a region of it such as "de-AT" for its dates. Undefined: Mooring does not write this language. */
const changeFor = (args: string): Change | undefined => {
  if (args === "") return (person) => person;
  if (args.toLowerCase() === "auto") return ({ locale: _, ...person }) => person;
  const written = args.replaceAll("_", "-");
  if (args.length > MAX_LOCALE_CHARS || !Locale.safeParse(written).success || languageOf(written) === undefined)
    return undefined;
  const [locale] = Intl.getCanonicalLocales(written);
  return (person) => ({ ...person, ...(locale !== undefined && { locale }) });
};
