import { conversationKey } from "../contract/messages/conversation.ts";
import type { PersonRecord } from "./person-record.ts";

/** The person's own setting, else the zone of the account that they wrote with last, else of another one. */
export const zoneOfPerson = (person: PersonRecord | undefined): string | undefined => {
  if (person?.timeZone !== undefined) return person.timeZone;
  const active = person?.surfaces.find(({ conversation }) => conversationKey(conversation) === person.lastActive);
  const zones = person?.accounts.filter(({ timeZone }) => timeZone !== undefined) ?? [];
  return (zones.find(({ accountId }) => accountId === active?.accountId) ?? zones[0])?.timeZone;
};
