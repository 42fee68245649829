import { conversationKey } from "../contract/messages/conversation.ts";
import type { PersonRecord } from "./person-record.ts";

/** The person's own setting, else the locale of the account that they wrote with last, else of another one. */
export const localeOfPerson = (person: PersonRecord | undefined): string | undefined => reported(person, "locale");

/** The person's own setting, else the zone of the account that they wrote with last, else of another one. */
export const zoneOfPerson = (person: PersonRecord | undefined): string | undefined => reported(person, "timeZone");

const reported = (person: PersonRecord | undefined, field: "timeZone" | "locale"): string | undefined => {
  if (person?.[field] !== undefined) return person[field];
  const active = person?.surfaces.find(({ conversation }) => conversationKey(conversation) === person.lastActive);
  const known = person?.accounts.filter((account) => account[field] !== undefined) ?? [];
  return (known.find(({ accountId }) => accountId === active?.accountId) ?? known[0])?.[field];
};
