import { isoTime } from "../contract/clock.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { callbackIdOf, continuationMessage, questionIdOf } from "../subtasks/index.ts";
import type { PeerCall } from "./peer-call.ts";

/** What another agent answered, as a turn of the session that asked it (A6). The same for the same answer. */
export const callbackMessage = (call: PeerCall): UserMessage =>
  continuation(call, callbackIdOf(call.id), call.endedAt ?? call.createdAt, {});

/** What another agent wants to know before it goes on. */
export const questionMessage = (call: PeerCall, round: number, now: number): UserMessage =>
  continuation(call, questionIdOf(call.id, round), isoTime(now), { round });

const continuation = (call: PeerCall, id: string, at: string, about: Record<string, unknown>): UserMessage => {
  const { peer, headline, standing, chain } = call;
  const data = { call: call.id, peer, name: headline, ...about };
  return continuationMessage(call, { ...call, standing: { ...standing, chain } }, { id, type: "callback", at, data });
};
