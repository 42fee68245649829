import { hash, randomBytes } from "node:crypto";
import { z } from "zod";
import { AppError } from "../../../contract/app-error.ts";
import type { AgentRef } from "../../../contract/messages/addresses.ts";
import { type Clock, isoTime } from "../../../contract/ports/clock.ts";
import { collection, keyOf, type Store } from "../../../contract/ports/store.ts";
import { DELETE, update } from "../../../contract/ports/update.ts";
import { Exchange, grantKey, grantSeal, openGrant, type SignInTarget } from "./grant-record.ts";
import { Seal } from "./seal.ts";

/** Time for the operator to sign in at the authorization server. */
const PENDING_MS = 10 * 60_000;

const PendingSignIn = z.looseObject({
  tenant: z.string(),
  agent: z.string(),
  server: z.string(),
  /** The operator who started it: no one else can complete it. */
  operator: z.string(),
  /** The verifier of the code, and everything that the exchange needs. */
  sealed: z.string(),
  expiresAt: z.iso.datetime(),
});

/** By the digest of the state, so that the store does not reveal it. */
const pending = collection("tool-sign-ins", PendingSignIn, { ttlMs: PENDING_MS });

const pendingId = (state: string): string => hash("sha256", state, "hex");
const pendingKey = (state: string) => keyOf(pending, pendingId(state));
const pendingSeal = ({ oauth }: SignInTarget, state: string): Seal =>
  new Seal(oauth.tokenKey, pendingId(state), "mcp sign-ins");

const Sealed = z.looseObject({ verifier: z.string(), exchange: Exchange });

interface SignInDeps {
  readonly store: Store;
  readonly clock: Clock;
}

/** Resolves to the link at which the operator signs in. The state in it is good for one completion. */
export const startSignIn = async (
  { store, clock }: SignInDeps,
  target: SignInTarget,
  { operator, redirectUrl }: { readonly operator: string; readonly redirectUrl: string },
): Promise<{ readonly url: string; readonly expiresAt: string }> => {
  const state = randomBytes(32).toString("base64url");
  const now = clock.now();
  const known = openGrant(grantSeal(target), (await store.get(grantKey(target)))?.value);
  // The SDK is loaded by the first sign-in, not by the process.
  const { startAtServer } = await import("./authorization-server.ts");
  const { url, verifier, exchange } = await startAtServer(target, { redirectUrl, state, known, now });
  const { tenant, agent, server } = target;
  const sealed = pendingSeal(target, state).close({ verifier, exchange });
  const expiresAt = isoTime(now + PENDING_MS);
  await store.put(pendingKey(state), { tenant, agent, server, operator, sealed, expiresAt });
  return { url: url.href, expiresAt };
};

/** The parameters that the authorization server adds to the redirect address. */
export interface SignInResponse {
  readonly state: string;
  readonly code?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
}

interface CompleteOptions {
  readonly operator: string;
  /** The server as it is configured now, if the operator may manage it. */
  targetOf(ref: AgentRef, server: string): SignInTarget | undefined;
}

/** Completes a sign-in once: the pending record is removed before the code is used. */
export const completeSignIn = async (
  { store, clock }: SignInDeps,
  { state, code, iss, error }: SignInResponse,
  { operator, targetOf }: CompleteOptions,
): Promise<SignInTarget> => {
  const found = (await store.get(pendingKey(state)))?.value;
  if (found === undefined || Date.parse(found.expiresAt) <= clock.now()) throw unknownSignIn();
  const target = targetOf(found, found.server);
  if (target === undefined || found.operator !== operator) {
    throw new AppError("forbidden", "another operator started this sign-in: start your own");
  }
  const { outcome, before } = await update(store, pendingKey(state), (record) => record && DELETE);
  if (outcome !== "deleted" || before === undefined) throw unknownSignIn();
  const { data } = Sealed.safeParse(pendingSeal(target, state).open(before.sealed));
  if (data === undefined) throw unknownSignIn();
  if (error !== undefined || code === undefined) {
    throw new AppError("bad-input", `the authorization server refused the sign-in: ${error ?? "it sent no code"}`);
  }
  const { issuer } = data.exchange.metadata ?? {};
  if (iss !== undefined && iss !== issuer) {
    throw new AppError("forbidden", "the answer came from another authorization server: start the sign-in again");
  }
  const { exchangeCode } = await import("./authorization-server.ts");
  const grant = await exchangeCode(target, data.exchange, { code, verifier: data.verifier, now: clock.now() });
  const sealed = grantSeal(target).close(grant);
  await store.put(grantKey(target), { sealed, signedInAt: isoTime(clock.now()) });
  return target;
};

const unknownSignIn = (): AppError =>
  new AppError("not-found", "this sign-in has expired or is completed already: start it again");

/** When an operator signed in; undefined: no operator has, or the tokens are gone. */
export const signedInAt = async (store: Store, target: SignInTarget): Promise<string | undefined> => {
  const record = (await store.get(grantKey(target)))?.value;
  return openGrant(grantSeal(target), record) && record?.signedInAt;
};

/** Forgets the tokens. The authorization server is not contacted. */
export const signOut = (store: Store, target: SignInTarget): Promise<void> => store.delete(grantKey(target));
