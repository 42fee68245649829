import type { Audience } from "../contract/agent-reply.ts";
import type { Store } from "../contract/store.ts";
import { askingAccount, audienceAt, withRequester } from "../delivery/index.ts";
import type { FallbackDeps, UndeliverableResult } from "../delivery/undeliverable/index.ts";
import { summarisePrompt } from "../lib/index.ts";
import { findPerson, type PersonRecord } from "../people/index.ts";
import type { Schedule } from "./schedule-record.ts";

/** gone: it is not the place that was chosen. Without an audience there is nobody to see a result. */
export type RunTarget =
  | { readonly audience: Audience; readonly gone?: UndeliverableResult }
  | { readonly audience?: never; readonly gone: UndeliverableResult };

/** Who made a schedule, as their accounts are now. */
interface Maker {
  readonly account: { readonly channel: string; readonly accountId: string };
  readonly audience: Audience;
  readonly person: PersonRecord;
}

/**
 * Who sees the result of a run that begins now. A place that was there, and the person's, when they chose it may be gone
 * by now, or another's, as after `unlink`: then it goes where the person themselves was last (D3), or home if it is
 * nobody's own, and that is told (P2).
 */
export const runTarget = async (places: FallbackDeps, schedule: Schedule): Promise<RunTarget> => {
  const { store, home, hasChannel } = places;
  const { tenant, destination } = schedule;
  const maker = await makerOf(store, schedule);
  const audience = await audienceAt(store, tenant, destination, hasChannel);
  const isAnothers = maker && audience?.conversation.kind === "private" && audience.personId !== maker.person.id;
  if (audience !== undefined && !isAnothers) return { audience: withRequester(audience, maker?.account) };
  const instead = maker ? { person: [maker.account] } : isForARoom(schedule) ? home : undefined;
  const other = instead && (await audienceAt(store, tenant, instead, hasChannel));
  const reason = isAnothers ? "the account there is no longer yours" : unreachable(schedule);
  const gone = goneOf(schedule, maker?.audience, reason, other !== undefined);
  return other ? { audience: withRequester(other, maker?.account), gone } : { gone };
};

const makerOf = async (store: Store, { tenant, madeFor }: Schedule): Promise<Maker | undefined> => {
  const account = madeFor && askingAccount(madeFor);
  if (madeFor === undefined || account === undefined) return undefined;
  const { person } = await findPerson(store, { tenant, ...account });
  return { account, person, audience: { ...madeFor, personId: person.id, membership: person.membership } };
};

/** What is for a person alone is not for whoever is at home. */
const isForARoom = ({ destination }: Schedule): boolean => "conversation" in destination;

const unreachable = ({ destination }: Schedule): string =>
  "conversation" in destination ? "that channel is no longer there" : "the person has not written to me in private yet";

const goneOf = (
  { id, description, destination }: Schedule,
  audience: Audience | undefined,
  reason: string,
  isSent: boolean,
): UndeliverableResult => ({
  kind: "scheduled",
  id,
  title: summarisePrompt(description),
  ...(audience && { audience }),
  reason,
  instead: isSent ? "It comes here instead." : "",
  tried: "conversation" in destination ? [destination.conversation as Audience["conversation"]] : [],
});
