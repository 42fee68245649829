import { AppError } from "../../contract/app-error.ts";
import type { AgentReply } from "../../contract/messages/agent-reply.ts";
import { conversationKey } from "../../contract/messages/conversation.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { type Bus, type DeadLetter, deadLetterKey } from "../../contract/ports/bus.ts";
import { type Clock, isoTime } from "../../contract/ports/clock.ts";
import { keyParts, type Store } from "../../contract/ports/store.ts";
import { putIfUnchanged } from "../../contract/ports/update.ts";
import { ledgerKey, ledgerOfTarget } from "../ledger-entry.ts";
import type { Undelivered, UndeliveredAddress } from "./undelivered.ts";
import { addresseeOf, letterContent, pointerKey, undeliveredKey } from "./undelivered.ts";

interface SettleDeps {
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
}

/** taken: another request has settled the entry, or is settling it now. */
type Settled = "done" | "taken";

/**
 * Sends an undelivered reply again, or dismisses it: once, even if several people try. `by` identifies the request; the
 * same request resumes after an interruption. The caller checks permission.
 */
export const settleUndelivered = async (
  deps: SettleDeps,
  address: UndeliveredAddress,
  action: "send-again" | "dismiss",
  by: string,
): Promise<Settled> => {
  const { store } = deps;
  const entry = await take(deps, address, by);
  if (entry === undefined) return "taken";
  const key = deadLetterKey(entry.letter.durable, entry.letter.id);
  const letter = (await store.get(key))?.value;
  if (letter !== undefined) await (action === "send-again" ? sendAgain(deps, letter) : store.delete(key));
  const addressee = addresseeOf(entry.audience);
  if (addressee !== undefined) await store.delete(pointerKey(entry.tenant, addressee, entry.id));
  await store.delete(undeliveredKey(address));
  return "done";
};

/** An interrupted request blocks others for this long. */
const TAKEN_FOR_MS = 60_000;

const take = async (
  { store, clock }: SettleDeps,
  address: UndeliveredAddress,
  by: string,
): Promise<Undelivered | undefined> => {
  const stored = await store.get(undeliveredKey(address));
  if (stored === undefined) return undefined;
  const { value: entry, revision } = stored;
  const now = clock.now();
  const isOthers = entry.taken !== undefined && entry.taken.by !== by;
  if (isOthers && now - Date.parse(entry.taken?.at ?? "") < TAKEN_FOR_MS) return undefined;
  const taken = { ...entry, taken: { by, at: isoTime(now) } };
  return (await putIfUnchanged(store, undeliveredKey(address), taken, revision)) === undefined ? undefined : entry;
};

/**
 * Sends a dead letter again on a person's request (D6). Accepted parts are not repeated; parts with an unknown outcome
 * are, because a person has decided so. Idempotent.
 */
export const sendAgain = async (
  { bus, store, clock }: { bus: Bus; store: Store; clock: Clock },
  letter: DeadLetter,
): Promise<void> => {
  const content = letterContent(letter.message);
  if (content === undefined) throw new AppError("data-unusable", `the dead letter "${letter.id}" cannot be read`);
  if (content.request === undefined) return publishAgain(bus, store, letter, content.reply);
  const request = content.request.kind === "reply" ? { ...content.request, byHand: true } : content.request;
  const { reply, target } = request;
  for await (const { key, value, revision } of store.list(ledgerOfTarget(reply.id, target))) {
    if (value.state !== "unknown" && value.state !== "withdrawn") continue;
    const part = Number(keyParts(key).at(-1));
    const resendable = { state: "failed", at: isoTime(clock.now()), reason: "send again" } as const;
    await store.put(ledgerKey(reply.id, target, part), resendable, { ifRevision: revision });
  }
  // `deadAt` makes the id new for the bus, and the same if this step is repeated.
  const options = { id: `${request.id}/again/${letter.deadAt}`, key: conversationKey(target) };
  await bus.publish(subjectsOf(reply.tenant).delivery(target.channel), request, options);
  await store.delete(deadLetterKey(letter.durable, letter.id));
};

/** Conversations that already show the reply recognise it by its id. */
const publishAgain = async (bus: Bus, store: Store, letter: DeadLetter, reply: AgentReply): Promise<void> => {
  const options = { id: `${reply.id}/again/${letter.deadAt}`, key: conversationKey(reply.audience.conversation) };
  const subject = subjectsOf(reply.tenant).userResponse(reply.agent);
  await bus.publish(subject, { ...reply, mayRepeat: true }, options);
  await store.delete(deadLetterKey(letter.durable, letter.id));
};
