import { randomUUID } from "node:crypto";
import { refreshAuthorization } from "@modelcontextprotocol/sdk/client/auth.js";
import { OAuthError, ServerError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { AppError, messageOf } from "../../../contract/app-error.ts";
import { type Clock, isoTime } from "../../../contract/ports/clock.ts";
import type { Logger } from "../../../contract/ports/logger.ts";
import type { Store } from "../../../contract/ports/store.ts";
import { DELETE, update } from "../../../contract/ports/update.ts";
import { maskSecrets, pause } from "../../../lib/index.ts";
import { authorizationFetch } from "./authorization-fetch.ts";
import {
  type Grant,
  type GrantRecord,
  grantKey,
  grantOf,
  grantSeal,
  openGrant,
  type SignInTarget,
} from "./grant-record.ts";
import type { Seal } from "./seal.ts";

/** A token is renewed this long before it expires, so that no request begins with one that is about to. */
const EARLY_MS = 30_000;
/** Longer than a request to the authorization server may take, so that two processes never send the same token. */
const RENEWAL_MS = 60_000;
const POLL_MS = 250;

interface TokenDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The access token that an operator's sign-in gave to an agent, shared and renewed by all processes. */
export class SignedInTokens {
  readonly #target: SignInTarget;
  readonly #deps: TokenDeps;
  readonly #seal: Seal;
  #renewing: Promise<Grant> | undefined;

  constructor(target: SignInTarget, deps: TokenDeps) {
    this.#target = target;
    this.#deps = deps;
    this.#seal = grantSeal(target);
  }

  /** Rejects with "unauthorised" if an operator must sign in. */
  async current(): Promise<Grant> {
    const stored = await this.#deps.store.get(grantKey(this.#target));
    const grant = openGrant(this.#seal, stored?.value);
    if (grant === undefined) throw needsSignIn(this.#target);
    const { id, refreshToken, expiresAt } = grant;
    const isUsable = expiresAt === undefined || expiresAt - EARLY_MS > this.#deps.clock.now();
    return isUsable || refreshToken === undefined ? grant : this.renewed(id);
  }

  /** A token other than the one with this id. Concurrent requests of this process share one renewal. */
  renewed(refused: string): Promise<Grant> {
    this.#renewing ??= this.#renew(refused).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** A compare-and-set gives the refresh token to one process; the others wait for its result. */
  async #renew(refused: string): Promise<Grant> {
    const { store, clock } = this.#deps;
    const by = randomUUID();
    const stop = AbortSignal.timeout(2 * RENEWAL_MS);
    for (;;) {
      const now = clock.now();
      const { outcome, after } = await update(store, grantKey(this.#target), (record) => {
        const isOther = openGrant(this.#seal, record)?.id !== refused;
        const isTaken = record?.renewal !== undefined && Date.parse(record.renewal.until) > now;
        return (
          record && (isOther || isTaken ? record : { ...record, renewal: { by, until: isoTime(now + RENEWAL_MS) } })
        );
      });
      const grant = openGrant(this.#seal, after);
      if (grant === undefined) throw needsSignIn(this.#target);
      if (grant.id !== refused) return grant;
      if (outcome === "written") return this.#refresh(grant);
      await pause(clock, POLL_MS, stop);
    }
  }

  async #refresh(used: Grant): Promise<Grant> {
    const { refreshToken, authorizationServer, metadata, client, resource } = used;
    if (refreshToken === undefined) return this.#end(used);
    try {
      const tokens = await refreshAuthorization(authorizationServer, {
        metadata: metadata as never,
        clientInformation: client,
        refreshToken,
        ...(resource !== undefined && { resource }),
        fetchFn: authorizationFetch(this.#target),
      });
      const grant = grantOf(used, tokens, this.#deps.clock.now());
      await this.#replace(used, ({ renewal: _, ...record }) => ({ ...record, sealed: this.#seal.close(grant) }));
      this.#deps.logger.debug({}, "access token renewed");
      return grant;
    } catch (error) {
      if (error instanceof OAuthError && !(error instanceof ServerError)) return this.#end(used);
      await this.#replace(used, ({ renewal: _, ...record }) => record);
      const why = maskSecrets(messageOf(error)).slice(0, MAX_REASON_CHARS);
      throw new AppError("unavailable", `its authorization server did not renew the token: ${why}`, { cause: error });
    }
  }

  /** The authorization server has ended the sign-in. */
  async #end(used: Grant): Promise<never> {
    await this.#replace(used, () => DELETE);
    this.#deps.logger.warn({}, "sign-in at a tool server has ended, an operator must sign in again");
    throw needsSignIn(this.#target);
  }

  /** Changes the record unless another process, or another sign-in, has replaced the tokens since. */
  async #replace(used: Grant, change: (record: GrantRecord) => GrantRecord | typeof DELETE): Promise<void> {
    await update(this.#deps.store, grantKey(this.#target), (record) =>
      record && openGrant(this.#seal, record)?.id === used.id ? change(record) : record,
    );
  }
}

const MAX_REASON_CHARS = 300;

/** The text reaches the model and the operator. */
const needsSignIn = ({ server, agent }: SignInTarget): AppError =>
  new AppError(
    "unauthorised",
    `an operator must sign in at it first: run \`mooring mcp sign-in ${server} --agent ${agent}\`, or use the console`,
  );
