import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { AgentRef } from "../../../contract/messages/addresses.ts";
import { collection, keyOf } from "../../../contract/ports/store.ts";
import type { Secret } from "../../../contract/secret.ts";
import { stableId } from "../../../lib/index.ts";
import type { McpServerConfig, OAuthConfig } from "../config.ts";
import { Seal } from "./seal.ts";

/** A server at which an operator signs in for one agent. */
export interface SignInTarget extends AgentRef {
  readonly server: string;
  readonly url: URL;
  /** Sent to the server, never to the authorization server. */
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth: OAuthConfig & { readonly tokenKey: Secret };
}

/** Undefined if the server needs no sign-in. */
export const signInTarget = (
  { tenant, agent }: AgentRef,
  server: string,
  { url, headers, oauth }: McpServerConfig,
): SignInTarget | undefined => {
  if (url === undefined || oauth?.signIn !== true || oauth.tokenKey === undefined) return undefined;
  const revealed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()]));
  const { tokenKey } = oauth;
  return { tenant, agent, server, url: new URL(url), headers: revealed, oauth: { ...oauth, tokenKey } };
};

/** The client as the authorization server knows it: configured, or registered by an earlier sign-in. */
export const Client = z.looseObject({
  client_id: z.string(),
  client_secret: z.string().optional(),
  /** Seconds since 1970; 0: never. */
  client_secret_expires_at: z.number().optional(),
  token_endpoint_auth_method: z.string().optional(),
});
export type Client = z.infer<typeof Client>;

/** Everything that later requests to the authorization server need. */
export const Exchange = z.looseObject({
  authorizationServer: z.string(),
  /** As the authorization server published it. */
  metadata: z.looseObject({}).optional(),
  client: Client,
  redirectUrl: z.string(),
  resource: z.string().optional(),
});
export type Exchange = z.infer<typeof Exchange>;

/** The tokens of a sign-in. */
export const Grant = z.looseObject({
  ...Exchange.shape,
  /** Differs for each issued token, so that tokens themselves are never compared. */
  id: z.string(),
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  /** Wall clock, milliseconds. */
  expiresAt: z.number().optional(),
});
export type Grant = z.infer<typeof Grant>;

const GrantRecord = z.looseObject({
  sealed: z.string(),
  signedInAt: z.iso.datetime(),
  /** The process that uses the refresh token now: many authorization servers accept each of them once. */
  renewal: z.looseObject({ by: z.string(), until: z.iso.datetime() }).optional(),
});
export type GrantRecord = z.infer<typeof GrantRecord>;

const grants = collection("tool-grants", GrantRecord, { ttlMs: 90 * 24 * 3_600_000 });

/** Another address, client or scope needs another sign-in. */
export const targetId = ({ tenant, agent, server, url, oauth }: SignInTarget): string => {
  const { issuer = "", clientId = "", scope = "" } = oauth;
  return stableId("grant", tenant, agent, server, url.href, issuer, clientId, scope);
};

export const grantKey = (target: SignInTarget) => keyOf(grants, targetId(target));

/** Seals the grant of one target. */
export const grantSeal = (target: SignInTarget): Seal =>
  new Seal(target.oauth.tokenKey, targetId(target), "mcp grants");

/** Undefined if the key has changed since: then an operator signs in again. */
export const openGrant = (seal: Seal, record: Pick<GrantRecord, "sealed"> | undefined): Grant | undefined =>
  record && Grant.safeParse(seal.open(record.sealed)).data;

interface IssuedTokens {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_in?: number | undefined;
}

export const grantOf = (
  exchange: Exchange,
  { access_token, refresh_token, expires_in }: IssuedTokens,
  now: number,
): Grant => ({
  ...exchange,
  id: randomUUID(),
  accessToken: access_token,
  refreshToken: refresh_token,
  expiresAt: expires_in === undefined ? undefined : now + expires_in * 1_000,
});
