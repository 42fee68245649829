import type { Audience } from "../contract/agent-reply.ts";
import type { Store } from "../contract/store.ts";
import { audienceAt } from "../delivery/destination.ts";
import { findPerson } from "../people/find-person.ts";
import type { Schedule } from "./schedule-record.ts";

/**
 * Who sees the result of a run that begins now. A place that was the person's when they chose it may be another's by
 * now, as after `unlink`: then it goes where the person themselves was last (D3). Undefined: there is no such place.
 */
export const runAudience = async (store: Store, schedule: Schedule): Promise<Audience | undefined> => {
  const { tenant, destination, madeFor } = schedule;
  const audience = await audienceAt(store, tenant, destination);
  if (madeFor?.accountId === undefined || audience?.conversation.kind !== "private") return audience;
  const maker = { channel: madeFor.conversation.channel, accountId: madeFor.accountId };
  const { person } = await findPerson(store, { tenant, ...maker });
  return audience.personId === person.id ? audience : audienceAt(store, tenant, { person: [maker] });
};
