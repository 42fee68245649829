import type { Tracer } from "../../contract/ports/telemetry.ts";
import { traceHeaders } from "../../lib/index.ts";
import { ModelFailed, type StepWork } from "../../model/index.ts";
import { turnSpanId } from "../../telemetry/index.ts";
import type { OutgoingMessage } from "../client/peer-client.ts";
import type { RemoteAgents } from "../client/remote-agents.ts";
import type { RemotePeer } from "../config.ts";
import { addressOf } from "../identity.ts";
import { chainOf, nextHop, pairOf, withExtension } from "../record/hops.ts";
import type { TurnTask } from "./turn-task.ts";

/** Our protocol extension that names the person who asks, by a pseudonym. */
export const PERSON_EXTENSION = "urn:mooring:person:v1";

interface MessageDeps {
  readonly remoteAgents: RemoteAgents;
  readonly tracer?: Tracer | undefined;
  /** Wall clock, milliseconds. */
  readonly now: number;
}

/** The message of a turn. Only a trusted agent gets more than its text, a pseudonym and the hop counts (R7, A4). */
export const turnMessage = (
  deps: MessageDeps,
  peer: RemotePeer,
  work: StepWork,
  { messageId, contextId, answers }: TurnTask,
): OutgoingMessage => {
  const { remoteAgents, tracer, now } = deps;
  const { origin, asker, standing, traceId } = work;
  const pseudonym = (id: string) => remoteAgents.pseudonymOf(addressOf(peer.url), id);
  const { root, to, hops } = hopOf(deps, peer, work, now);
  const isTrusted = peer.trusted === true;
  const extension = {
    ...(to !== undefined && { to }),
    hops,
    rootCorrelationId: isTrusted ? root : pseudonym(root),
    ...(isTrusted && {
      origin: { channel: origin.channel, promptSummary: origin.promptSummary, startedAt: origin.startedAt },
    }),
  };
  const person = { id: pseudonym(asker.personId), ...(isTrusted && aboutAsker(work)) };
  const sampled = isTrusted &&
    tracer && { headers: { ...traceHeaders(traceId, turnSpanId(work.turnId), tracer.isSampled(traceId)) } };
  const hasPerson = standing.owner.worksFor === undefined && work.audience.personId !== null;
  return {
    messageId,
    contextId,
    taskId: answers?.taskId ?? "",
    text: textOf(work, isTrusted),
    metadata: { ...withExtension(undefined, extension), ...(hasPerson && { [PERSON_EXTENSION]: person }) },
    ...sampled,
  };
};

/** The view of other conversations precedes the message, because the agent keeps a history per context (O14). */
const textOf = ({ text, unsignedText, quoted, note }: StepWork, isTrusted: boolean): string =>
  [note, isTrusted ? text : unsignedText, quoted].filter((part) => part !== undefined).join("\n\n");

const aboutAsker = ({ asker: { name, locale, timeZone } }: StepWork) => ({
  name,
  ...(locale !== undefined && { locale }),
  ...(timeZone !== undefined && { timeZone }),
});

const hopOf = ({ remoteAgents }: MessageDeps, { url }: RemotePeer, work: StepWork, now: number) => {
  const own = remoteAgents.ownAddress(work.agent);
  const to = addressOf(url);
  const chain = chainOf({ delegationContext: work.standing, origin: work.origin });
  const isSelf = `${to}/`.startsWith(`${own}/`);
  const hop = isSelf ? undefined : nextHop(chain, { root: work.standing.rootTurnId, pair: pairOf(own, to), to, now });
  if (hop !== undefined) return hop;
  const why = isSelf
    ? "its url is the address of this agent itself"
    : "the agents pass this work to each other in a circle";
  throw new ModelFailed("refused", `not sent to ${to}: ${why}`, {
    shown: ({ agents }) => agents.failures.circle,
  });
};
