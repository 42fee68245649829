import { ReplyOriginExtension } from "../../contract/messages/inbound-call.ts";
import type { PeerChain } from "../../contract/messages/work-context.ts";
import type { ToolContext } from "../../contract/tool.ts";

/** Our protocol extension: a message carries it so that chains of agents can be bounded and explained. */
export const REPLY_ORIGIN_EXTENSION = "urn:mooring:reply-origin:v1";

type Metadata = Readonly<Record<string, unknown>>;

/** Undefined if the metadata has no extension, or an invalid one. */
export const readExtension = (metadata: Metadata | undefined): ReplyOriginExtension | undefined => {
  const extension = metadata?.[REPLY_ORIGIN_EXTENSION];
  return extension === undefined ? undefined : ReplyOriginExtension.safeParse(extension).data;
};

export const withExtension = (metadata: Metadata | undefined, extension: ReplyOriginExtension): Metadata => ({
  ...metadata,
  [REPLY_ORIGIN_EXTENSION]: extension,
});

const MAX_HOPS = 3;
/** Limit for all pairs together: agents that form a longer chain are looping. */
const MAX_CHAIN_HOPS = 12;
/** A chain without a hop for this long has ended; the next hop starts a new count. */
const CHAIN_TTL_MS = 10 * 60_000;

/** Spelling of a pair of agents, independent of which one sends. */
export const pairOf = (one: string, other: string): string => [one, other].sort().join(" ");

/** The chain in the metadata of an incoming message. "exhausted": the message must be rejected (A3, A4). */
export const incomingChain = (
  metadata: Metadata | undefined,
  own: string,
): ReplyOriginExtension | "exhausted" | undefined => {
  const received = readExtension(metadata);
  return received && (acceptChain(received, own) ?? "exhausted");
};

/**
 * Replaces the sender's spelling of us by our own, so that a second spelling does not start a second count. Undefined if
 * the pair has used up its hops, or if the message comes from ourselves (A3, A4).
 */
export const acceptChain = (received: ReplyOriginExtension, own: string): ReplyOriginExtension | undefined => {
  const hops: Record<string, number> = {};
  for (const [pair, count] of Object.entries(received.hops)) {
    const names = pair.split(" ").map((name) => (name === received.to ? own : name));
    const [one = "", other = ""] = names;
    const known = names.length === 2 ? pairOf(one, other) : pair;
    hops[known] = (hops[known] ?? 0) + count;
    if (one === own && other === own) return undefined;
    if (names.includes(own) && (hops[known] ?? 0) > MAX_HOPS) return undefined;
  }
  return ReplyOriginExtension.safeParse({ ...received, hops }).data;
};

/** The chain of a turn: its own, or the one that came with a protocol call. */
export const chainOf = ({
  delegationContext,
  origin,
}: Pick<ToolContext, "delegationContext" | "origin">): PeerChain | undefined => {
  if (delegationContext.chain !== undefined) return delegationContext.chain;
  const received = ReplyOriginExtension.safeParse(origin.chain).data;
  if (received === undefined) return undefined;
  return { root: received.rootCorrelationId, hops: received.hops, lastHopAt: Date.parse(origin.startedAt) };
};

/** The chain with one more hop between a pair; undefined if the hop exceeds a limit (A4). */
export const nextHop = (
  chain: PeerChain | undefined,
  hop: { readonly root: string; readonly pair: string; readonly to?: string | undefined; readonly now: number },
): PeerChain | undefined => {
  const { root, pair, to, now } = hop;
  const isLive = chain !== undefined && now - chain.lastHopAt < CHAIN_TTL_MS;
  const hops = isLive ? chain.hops : {};
  const count = (hops[pair] ?? 0) + 1;
  const all = Object.values(hops).reduce((sum, each) => sum + each, 0);
  if (count > MAX_HOPS || all >= MAX_CHAIN_HOPS) return undefined;
  return {
    root: chain?.root ?? root,
    ...(to !== undefined && { to }),
    hops: { ...hops, [pair]: count },
    lastHopAt: now,
  };
};
