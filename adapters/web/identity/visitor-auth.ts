import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import type { Secret } from "../../../core/contract/secret.ts";
import type { OwnerAccess } from "../../contract/adapter-context.ts";
import { OWNER_VISITOR } from "../protocol-constants.ts";
import { checkOwnerProof, isOwnerProof, readOwnerLink, secretFingerprint } from "./owner-proof.ts";
import {
  type Identity,
  loadSigningKey,
  newVisitorId,
  readVisitorToken,
  type SigningKey,
  signingKeyOf,
  signVisitorToken,
  type TokenProblem,
  visitorCreatedAt,
} from "./visitor-token.ts";

export interface VisitorAuthDeps {
  readonly signing: SigningKey;
  /** The key before a rotation: its tokens are accepted, and each welcome replaces them. */
  readonly previousSigning?: SigningKey | undefined;
  /** The keys of host pages, also the one before a rotation. Empty: host pages cannot identify their visitors. */
  readonly identityKeys: readonly Buffer[];
  readonly channel: string;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Present in personal mode: everybody else is refused (I1). */
  readonly owner?: OwnerAccess | undefined;
}

interface ConfiguredKeys {
  readonly signingKey?: Secret | undefined;
  readonly previousSigningKey?: Secret | undefined;
  readonly identityKey?: Secret | undefined;
  readonly previousIdentityKey?: Secret | undefined;
}

/** The keys of a channel, also those before a rotation. */
export const loadVisitorKeys = async (
  store: Store,
  channel: string,
  { signingKey, previousSigningKey, identityKey, previousIdentityKey }: ConfiguredKeys,
): Promise<Pick<VisitorAuthDeps, "signing" | "previousSigning" | "identityKeys">> => ({
  signing: await loadSigningKey(store, channel, signingKey?.reveal()),
  previousSigning: previousSigningKey && signingKeyOf(Buffer.from(previousSigningKey.reveal())),
  identityKeys: (identityKey ? [identityKey, previousIdentityKey] : []).flatMap((key) =>
    key ? [Buffer.from(key.reveal())] : [],
  ),
});

type Identified = (Identity & { readonly isNew: boolean }) | { readonly problem: TokenProblem };

/** Identifies a client by its own token or by the host page's token, or creates a new visitor. */
export class VisitorAuth {
  readonly #deps: VisitorAuthDeps;

  constructor(deps: VisitorAuthDeps) {
    this.#deps = deps;
  }

  /** As `identify`, and accepts the token of a one-time link, which it uses up. */
  async enter(token: string | undefined): Promise<Identified> {
    const { owner } = this.#deps;
    const link = token === undefined ? undefined : readOwnerLink(token);
    if (link === undefined) return this.identify(token);
    if (owner === undefined) return { problem: "token-unknown" };
    const isRedeemed = await owner.redeem(link.code, link.browser);
    return isRedeemed ? this.#owner(owner) : { problem: "token-link-used" };
  }

  identify(token: string | undefined): Identified {
    const { clock, newId, owner, channel } = this.#deps;
    if (token !== undefined && isOwnerProof(token)) {
      if (owner === undefined) return { problem: "token-unknown" };
      const isProved = checkOwnerProof(owner.secret, channel, token, clock.now());
      return isProved ? this.#owner(owner) : { problem: "token-not-owner" };
    }
    if (owner !== undefined) return this.#identifyOwner(owner, token);
    if (token === undefined) return { visitor: newVisitorId(clock.now(), newId()), isNew: true };
    const read = this.#read(token);
    if ("problem" in read) return read;
    // A token from the time in which this deployment had an owner.
    return read.ownerKey === undefined ? { ...read, isNew: false } : { problem: "token-unknown" };
  }

  /** In personal mode only a token that the owner got earlier counts; an address never does. */
  #identifyOwner(owner: OwnerAccess, token: string | undefined): Identified {
    if (token === undefined) return { problem: "token-not-owner" };
    const read = this.#read(token);
    if ("problem" in read) return read.problem === "token-expired" ? { problem: "token-not-owner" } : read;
    const isOwner = read.visitor === OWNER_VISITOR && read.ownerKey === secretFingerprint(owner.secret);
    return isOwner ? this.#owner(owner) : { problem: "token-not-owner" };
  }

  #owner({ name, secret }: OwnerAccess): Identified {
    return { visitor: OWNER_VISITOR, name, ownerKey: secretFingerprint(secret), isNew: false };
  }

  issue(identity: Identity): string {
    const { signing, channel, clock } = this.#deps;
    return signVisitorToken(signing, { ...identity, channel, expiresAt: clock.now() + TOKEN_TTL_MS });
  }

  hasExpired({ endsAt }: Identity): boolean {
    return endsAt !== undefined && endsAt <= this.#deps.clock.now();
  }

  explain(problem: TokenProblem): string {
    return EXPLANATIONS[problem];
  }

  #read(token: string): Identity | { problem: TokenProblem } {
    const { signing, previousSigning, identityKeys, channel, clock } = this.#deps;
    const expected = { channel, now: clock.now() };
    if (!token.startsWith("v1.") && identityKeys.length > 0) return readHostToken(identityKeys, token, expected);
    const read = readVisitorToken(signing, token, expected);
    const isOfAnotherKey = "problem" in read && read.problem === "token-unknown";
    return isOfAnotherKey && previousSigning ? readVisitorToken(previousSigning, token, expected) : read;
  }
}

/** Each welcome renews the token. */
const TOKEN_TTL_MS = 90 * 24 * 3_600_000;

const EXPLANATIONS: Record<TokenProblem, string> = {
  "token-invalid": "the token is invalid; connect without it to start a new conversation",
  "token-expired": "the token has expired; connect with a new one, or without one to start a new conversation",
  "token-unknown":
    "the token was signed with a key that is no longer in use; connect without it to start a new conversation",
  "token-foreign": "the token was issued by another channel; use a token of this one",
  "token-not-owner":
    "this assistant serves its owner only; if that is you, open the one-time link that `mooring start` or " +
    "`mooring owner-link` prints, or use `mooring chat` on the machine of the gateway",
  "token-link-used": "this one-time link has been used or has expired; `mooring owner-link` prints a new one",
};

const Header = z.looseObject({ alg: z.literal("HS256") });
const Claims = z.looseObject({
  sub: z.string().min(1).max(200),
  /** Seconds since 1970, as in every JWT. */
  exp: z.number(),
  nbf: z.number().optional(),
  aud: z.union([z.string(), z.array(z.string())]).optional(),
  name: z.string().max(100).optional(),
});

/** Allowed clock skew between the host page's server and this one. */
const LEEWAY_MS = 60_000;

/**
 * Reads the JWT by which a page that embeds the widget identifies its visitor. Its server signs it with the channel's
 * `identityKey`. Only HS256 is accepted, regardless of the header.
 */
const readHostToken = (
  keys: readonly Buffer[],
  token: string,
  { channel, now }: { channel: string; now: number },
): Identity | { problem: TokenProblem } => {
  const [header, payload, mac, ...rest] = token.split(".");
  if (header === undefined || payload === undefined || mac === undefined || rest.length > 0) return invalid;
  if (!Header.safeParse(jsonIn(header)).success) return invalid;
  const given = Buffer.from(mac, "base64url");
  const isSignedWith = (key: Buffer) => {
    const right = createHmac("sha256", key).update(`${header}.${payload}`).digest();
    return given.length === right.length && timingSafeEqual(given, right);
  };
  if (!keys.some(isSignedWith)) return invalid;
  const claims = Claims.safeParse(jsonIn(payload)).data;
  if (claims === undefined) return invalid;
  const { sub, exp, nbf = 0, aud = channel, name } = claims;
  // A `sub` in the form of an anonymous visitor id would open that visitor's conversation.
  if (visitorCreatedAt(sub) > 0 || nbf * 1_000 > now + LEEWAY_MS) return invalid;
  if (![aud].flat().includes(channel)) return { problem: "token-foreign" };
  const endsAt = exp * 1_000 + LEEWAY_MS;
  if (endsAt <= now) return { problem: "token-expired" };
  return { visitor: sub, endsAt, ...(name !== undefined && { name }) };
};

const invalid = { problem: "token-invalid" } as const;

const jsonIn = (part: string): unknown => {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString());
  } catch {
    return undefined;
  }
};

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Allows the configured origins and the gateway's own. */
export const originCheck = (publicUrl: string, allowedOrigins: readonly string[]): ((origin: string) => boolean) => {
  const allowed = new Set(allowedOrigins);
  const own = new URL(publicUrl);
  allowed.add(own.origin);
  if (LOOPBACK.includes(own.hostname)) {
    for (const host of LOOPBACK) allowed.add(new URL(`${own.protocol}//${host}:${own.port}`).origin);
  }
  return (origin) => allowed.has(origin);
};
