import type { PeerChain } from "../contract/peer-chain.ts";
import type { ToolContext } from "../contract/tool.ts";
import { ReplyOriginExtension } from "./extension.ts";

const MOST_HOPS = 3;
/** A longer chain than this is no work any more, whoever is in it. */
const LONGEST_CHAIN = 12;
const KEPT_MS = 10 * 60_000;

/** Two agents, whichever of them speaks. */
export const pairOf = (one: string, other: string): string => [one, other].sort().join(" ");

/**
 * What a call by the protocol brings along, as it is for whom it came to: whatever the sender calls us, it is us, so that
 * no second spelling is a second count. Undefined: it may not be taken, as it has come to and fro too often, or from
 * ourselves (A3, A4).
 */
export const arrivedChain = (brought: ReplyOriginExtension, own: string): ReplyOriginExtension | undefined => {
  const hops: Record<string, number> = {};
  for (const [pair, count] of Object.entries(brought.hops)) {
    const names = pair.split(" ").map((name) => (name === brought.to ? own : name));
    const [one = "", other = ""] = names;
    const known = names.length === 2 ? pairOf(one, other) : pair;
    hops[known] = (hops[known] ?? 0) + count;
    if (one === own && other === own) return undefined;
    if (names.includes(own) && (hops[known] ?? 0) > MOST_HOPS) return undefined;
  }
  return ReplyOriginExtension.safeParse({ ...brought, hops }).data;
};

/** The chain that a turn is in: its own, or what a call by the protocol brought along. */
export const chainOf = ({ standing, origin }: Pick<ToolContext, "standing" | "origin">): PeerChain | undefined => {
  if (standing.chain !== undefined) return standing.chain;
  const brought = ReplyOriginExtension.safeParse(origin.chain).data;
  if (brought === undefined) return undefined;
  return { root: brought.rootCorrelationId, hops: brought.hops, lastHopAt: Date.parse(origin.startedAt) };
};

/** The chain with one hop more between a pair; undefined if that is one too many (A4). */
export const nextHop = (
  chain: PeerChain | undefined,
  hop: { readonly root: string; readonly pair: string; readonly to?: string | undefined; readonly now: number },
): PeerChain | undefined => {
  const { root, pair, to, now } = hop;
  const isLiving = chain !== undefined && now - chain.lastHopAt < KEPT_MS;
  const hops = isLiving ? chain.hops : {};
  const count = (hops[pair] ?? 0) + 1;
  const all = Object.values(hops).reduce((sum, each) => sum + each, 0);
  if (count > MOST_HOPS || all >= LONGEST_CHAIN) return undefined;
  return {
    root: chain?.root ?? root,
    ...(to !== undefined && { to }),
    hops: { ...hops, [pair]: count },
    lastHopAt: now,
  };
};
