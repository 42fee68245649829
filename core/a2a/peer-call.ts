import { z } from "zod";
import { RETENTION_MS } from "../contract/bus.ts";
import { isoTime } from "../contract/clock.ts";
import { collection, keyOf } from "../contract/collection.ts";
import type { PeerCallAddress } from "../contract/peer-call-address.ts";
import { PeerChain } from "../contract/peer-chain.ts";
import type { Store } from "../contract/store.ts";
import { Inherited } from "../turns/index.ts";
import { RemoteTask } from "./remote-task.ts";

/**
 * One message to another agent, written before anything is sent: the tracker's entry (L1). "answered" and "failed" are
 * ends; only an open one changes.
 */
export const PeerCall = z.looseObject({
  id: z.string(),
  tenant: z.string(),
  /** Who sent it. */
  agent: z.string(),
  peer: z.string(),
  mode: z.enum(["notify", "task_delegate", "consult"]),
  message: z.string(),
  /** What people read of it: a sentence, never an internal name (A6). */
  headline: z.string(),

  /** Where the answer belongs: the turn that asked, with all that its continuations inherit (O2). */
  turnId: z.string(),
  ...Inherited.shape,
  /** With this hop. */
  chain: PeerChain,

  state: z.enum(["open", "answered", "failed"]),
  createdAt: z.iso.datetime(),
  /** Wall clock, milliseconds: then silence becomes an outcome. */
  deadlineAt: z.number(),
  endedAt: z.iso.datetime().optional(),
  /** The message whose turn of a local peer was the answer; absent if something else has ended the call. */
  answeredBy: z.string().optional(),
  answer: z.string().optional(),
  /** Shown to people. */
  error: z.string().optional(),
  /** Why it failed or cannot be reached, for operators: with addresses and settings, never shown in chat. */
  detail: z.string().optional(),
  /** A consultation that nobody waits for any longer: its answer comes as that of a delegation. */
  demotedAt: z.iso.datetime().optional(),
  /** The last line about how it goes, and how many there were. */
  note: z.string().optional(),
  notes: z.int(),
  /** A local peer's turns about it that have ended, by their messages; known if it has others work for it. */
  turnsEnded: z.array(z.string()).optional(),
  /** Present if the peer is reached through the protocol. */
  remote: RemoteTask.optional(),
});
export type PeerCall = z.infer<typeof PeerCall>;

const calls = collection("peer-calls", PeerCall, { ttlMs: RETENTION_MS });

export const callKey = ({ tenant, agent, id }: PeerCallAddress) => keyOf(calls, tenant, agent, id);

export const readCall = async (store: Store, address: PeerCallAddress): Promise<PeerCall | undefined> =>
  (await store.get(callKey(address)))?.value;

/** In the order asked for; one that has expired is left out. */
export const readCalls = async (
  store: Store,
  { tenant, agent }: Pick<PeerCallAddress, "tenant" | "agent">,
  ids: readonly string[],
): Promise<PeerCall[]> => {
  const read = await Promise.all(ids.map((id) => readCall(store, { tenant, agent, id })));
  return read.filter((call) => call !== undefined);
};

/** What the other agent wants to know before it goes on, if it waits for that. */
export const openQuestion = ({ state, remote }: Pick<PeerCall, "state" | "remote">): string | undefined =>
  state === "open" ? remote?.question : undefined;

/** Shown instead of "running": no request to the remote agent has got an answer for a while. */
export const unreachableNote = ({ state, remote }: Pick<PeerCall, "state" | "remote">): string | undefined =>
  state !== "open" || remote?.unreachableSince === undefined
    ? undefined
    : `unreachable, retrying since ${isoTime(remote.unreachableSince).slice(11, 16)} UTC`;

/** Nobody waits in its turn for the answer: it comes in a turn of its own. */
export const comesLater = ({ mode, demotedAt }: Pick<PeerCall, "mode" | "demotedAt">): boolean =>
  mode === "task_delegate" || demotedAt !== undefined;
