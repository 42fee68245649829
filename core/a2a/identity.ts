import { createHmac, hash, randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import type { PeerCallAddress } from "../contract/messages/addresses.ts";
import { collection, keyOf, type Store } from "../contract/ports/store.ts";
import { createOrRead } from "../contract/ports/update.ts";
import type { Secret } from "../contract/secret.ts";

/** The identity that all processes of a deployment share towards other agents. */
export interface DeploymentIdentity {
  readonly id: string;
  /** Secret of 32 bytes. */
  readonly key: Buffer;
  /** The key before a rotation: what it has signed and encrypted is still accepted, and nothing new uses it. */
  readonly previousKey?: Buffer | undefined;
}

/** The configured keys; read again for each use, because a reload may change them. */
export interface IdentityKeys {
  readonly webhookKey?: Secret | undefined;
  readonly previousWebhookKey?: Secret | undefined;
}

const identities = collection("a2a-identity", z.looseObject({ id: z.string(), key: z.base64url() }));

/** The first process creates the identity, and the store shares it. A configured key replaces the stored one. */
export const loadIdentity = async (
  store: Store,
  configured: () => IdentityKeys = () => ({}),
): Promise<DeploymentIdentity> => {
  const at = keyOf(identities, "own");
  const newIdentity = () => ({ id: randomUUID(), key: randomBytes(32).toString("base64url") });
  const { value } = (await store.get(at)) ?? (await createOrRead(store, at, newIdentity()));
  const stored = Buffer.from(value.key, "base64url");
  return {
    id: value.id,
    get key() {
      return keyFrom(configured().webhookKey) ?? stored;
    },
    get previousKey() {
      return keyFrom(configured().previousWebhookKey);
    },
  };
};

const keyFrom = (configured: Secret | undefined): Buffer | undefined =>
  configured && hash("sha256", configured.reveal(), "buffer");

/** Normalises an address to the spelling used in pairs of hops. */
export const addressOf = (url: string): string => new URL(url).href.replace(/\/+$/, "");

/**
 * Address of one of our agents in hop counts between deployments: the same in every process, even if the configuration
 * has no public URL (A4).
 */
export const agentAddress = (
  { id }: Pick<DeploymentIdentity, "id">,
  publicUrl: string | undefined,
  agent: string,
): string => addressOf(`${publicUrl ?? `urn:mooring:${id}`}/a2a/${agent}`);

/** Token that a remote agent sends with its push notifications about a call. It is derived, so it is never stored. */
export const pushTokenOf = ({ key }: Pick<DeploymentIdentity, "key">, { tenant, agent, id }: PeerCallAddress): string =>
  createHmac("sha256", key)
    .update(JSON.stringify(["push", tenant, agent, id]))
    .digest("base64url");

/** The tokens that are accepted for a call: that of the current key, and during a rotation that of the previous one. */
export const acceptedPushTokens = (
  { key, previousKey }: Pick<DeploymentIdentity, "key" | "previousKey">,
  call: PeerCallAddress,
): string[] => [key, ...(previousKey ? [previousKey] : [])].map((each) => pushTokenOf({ key: each }, call));

/** A stable id that reveals nothing about the one that it stands for, different for each receiver. */
export const pseudonymOf = ({ key }: Pick<DeploymentIdentity, "key">, receiver: string, id: string): string =>
  createHmac("sha256", key)
    .update(JSON.stringify(["pseudonym", receiver, id]))
    .digest("base64url");
