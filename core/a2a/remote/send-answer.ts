import { AppError } from "../../contract/app-error.ts";
import { changeCall } from "../change-call.ts";
import { answerMessage, type RemoteCall } from "../client/outgoing-message.ts";
import type { PeerClient } from "../client/peer-client.ts";
import type { TaskNews } from "../client/task-news.ts";
import type { PeerParts } from "../peer-parts.ts";

/** Longer than one request may take: whoever claimed an answer is done with it by then, or dead. */
const CLAIM_MS = 40_000;
const HISTORY_LENGTH = 10;

/**
 * Sends our answer to the remote agent's question, if there is one to send. Who looks because of a hint and who looks
 * because it is time must not both do it, so it is claimed before and counted after. Whoever finds that it was tried
 * before asks whether it has arrived: its id is the same every time.
 */
export const sendAnswer = async (
  parts: PeerParts,
  client: PeerClient,
  address: RemoteCall,
  signal: AbortSignal,
): Promise<TaskNews | undefined> => {
  const claim = await claimAnswer(parts, address);
  if (claim === undefined) return undefined;
  const { call, nth } = claim;
  await parts.checkpoint("answer.claimed");
  try {
    const news = await deliver(parts, client, claim, signal);
    await countSent(parts, call, nth);
    return isOld(call, news) ? { ...news, state: "working", text: "" } : news;
  } catch (error) {
    // Whether it got there or not: whoever looks next finds out.
    await changeRemote(parts, call, (remote) => ({ ...remote, claimedUntil: 0 }));
    throw error;
  }
};

const deliver = async (
  parts: PeerParts,
  client: PeerClient,
  { call, nth, wasTried, until }: Claim,
  signal: AbortSignal,
): Promise<TaskNews> => {
  const message = answerMessage(call, nth, parts.tracer);
  const before = wasTried ? await client.get(message.taskId, signal, HISTORY_LENGTH) : undefined;
  if (before !== undefined && hasArrived(call, before, message.messageId)) return before;
  if (parts.clock.now() >= until) throw new AppError("unavailable", "somebody else may be sending this answer by now");
  const news = await client.send(message, undefined, signal);
  await parts.checkpoint("answer.sent");
  return news;
};

interface Claim {
  readonly call: RemoteCall;
  readonly nth: number;
  readonly wasTried: boolean;
  readonly until: number;
}

const claimAnswer = async (parts: PeerParts, address: RemoteCall): Promise<Claim | undefined> => {
  const now = parts.clock.now();
  const until = now + CLAIM_MS;
  let claim: Omit<Claim, "call"> | undefined;
  const call = await changeRemote(parts, address, (remote) => {
    const { sent, answers, claimedUntil } = remote;
    claim = undefined;
    if (sent >= answers.length || (claimedUntil ?? 0) > now) return remote;
    claim = { nth: sent, wasTried: claimedUntil !== undefined, until };
    return { ...remote, claimedUntil: until };
  });
  return call && claim && { call, ...claim };
};

const countSent = (parts: PeerParts, call: RemoteCall, nth: number): Promise<unknown> =>
  changeRemote(parts, call, (remote) => {
    if (remote.sent !== nth) return remote;
    const { claimedUntil: _, ...rest } = remote;
    // Whoever was answered goes on soon: it is looked at as at the beginning.
    return { ...rest, sent: nth + 1, looks: 1 };
  });

const changeRemote = async (
  parts: PeerParts,
  address: RemoteCall,
  change: (remote: RemoteCall["remote"]) => RemoteCall["remote"],
): Promise<RemoteCall | undefined> => {
  const call = await changeCall(parts, address, (is) => {
    const remote = is.remote && change(is.remote);
    return remote === is.remote ? is : { ...is, remote };
  });
  return call?.state === "open" && call.remote !== undefined ? { ...call, remote: call.remote } : undefined;
};

/** The question that was answered. Shown with our answer at hand, it is none any more. */
const isOld = ({ remote }: RemoteCall, { state, key }: TaskNews): boolean =>
  state === "input-required" && remote.seen.includes(key);

/** A remote agent that no longer waits for this answer has had it. */
const hasArrived = (call: RemoteCall, news: TaskNews, messageId: string): boolean =>
  news.heard?.includes(messageId) === true || !isOld(call, news);
