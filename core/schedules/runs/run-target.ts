import type { Audience } from "../../contract/messages/work-context.ts";
import type { Store } from "../../contract/ports/store.ts";
import { audienceAt, withRequester } from "../../delivery/index.ts";
import type { FallbackDeps, UndeliverableResult } from "../../delivery/undelivered/index.ts";
import { summarisePrompt } from "../../lib/index.ts";
import { askingAccount, findPerson, type PersonRecord } from "../../people/index.ts";
import type { Schedule } from "../schedule-record.ts";

/** gone: the chosen target is unreachable. Without an audience no other target exists either. */
export type RunTarget =
  | { readonly audience: Audience; readonly gone?: UndeliverableResult }
  | { readonly audience?: never; readonly gone: UndeliverableResult };

/** The creator of a schedule, with today's accounts. */
interface Creator {
  readonly account: { readonly channel: string; readonly accountId: string };
  readonly audience: Audience;
  readonly person: PersonRecord;
}

/**
 * The audience of a run that begins now. The chosen target may no longer exist, or may belong to another person after
 * `unlink`: the result then goes to the creator's last active conversation (D3), or home if it has no creator, and a
 * notice explains it (P2).
 */
export const runTarget = async (deps: FallbackDeps, schedule: Schedule): Promise<RunTarget> => {
  const { store, home, hasChannel } = deps;
  const { tenant, destination } = schedule;
  const creator = await creatorOf(store, schedule);
  const audience = await audienceAt(store, tenant, destination, hasChannel);
  const isForeign = creator && audience?.conversation.kind === "private" && audience.personId !== creator.person.id;
  if (audience !== undefined && !isForeign) return { audience: withRequester(audience, creator?.account) };
  const instead = creator ? { person: [creator.account] } : isForARoom(schedule) ? home : undefined;
  const other = instead && (await audienceAt(store, tenant, instead, hasChannel));
  const reason = isForeign ? "not-yours" : unreachable(schedule);
  const gone = undeliverable(schedule, creator?.audience, reason, other !== undefined);
  return other ? { audience: withRequester(other, creator?.account), gone } : { gone };
};

const creatorOf = async (store: Store, { tenant, madeFor }: Schedule): Promise<Creator | undefined> => {
  const account = madeFor && askingAccount(madeFor);
  if (madeFor === undefined || account === undefined) return undefined;
  const { person } = await findPerson(store, { tenant, ...account });
  return { account, person, audience: { ...madeFor, personId: person.id, membership: person.membership } };
};

/** Results addressed to one person never fall back to the agent's home channel. */
const isForARoom = ({ destination }: Schedule): boolean => "conversation" in destination;

const unreachable = ({ destination }: Schedule): string => ("conversation" in destination ? "no-channel" : "not-met");

const undeliverable = (
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
  instead: isSent ? "here" : "",
  tried: "conversation" in destination ? [destination.conversation as Audience["conversation"]] : [],
});
