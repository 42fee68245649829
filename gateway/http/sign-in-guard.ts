import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { allowanceOf, KeyedRates, RateLimit, type RateShare } from "../../adapters/contract/rate-limit.ts";
import { AppError } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import type { Meter } from "../../core/contract/ports/telemetry.ts";
import { clientKey, markAuthenticated } from "./limit-requests.ts";
import { MinuteReport } from "./minute-report.ts";

interface SignInGuardDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  /** Joins failed and successful sign-ins with other gateways; absent: this process counts alone. */
  readonly share?: RateShare | undefined;
}

/** The API that a credential is for. */
type Entrance = "admin" | "a2a" | "metrics";

type Request = Pick<FastifyRequest, "ip" | "headers">;
type Reply = Pick<FastifyReply, "header">;

/** Failed sign-ins per address: a burst of 10, then one every ten seconds. */
const ADDRESS_LIMIT = new RateLimit(0.1, 10);
/** Per IPv6 network of 48 bits, because one customer may have 65,536 networks of 64 bits in it. */
const NETWORK_LIMIT = new RateLimit(1, 100);
const MAX_REMEMBERED = 10_000;
/** Before the keys of successful sign-ins in announcements. */
const SIGNED_IN = "signed in ";

/**
 * Rate limit for failed sign-ins. Above it, an address is refused before its credential is checked. Other addresses are
 * not affected, nor is a credential that has signed in from the same address before.
 */
export class SignInGuard {
  readonly #deps: SignInGuardDeps;
  readonly #failures = new KeyedRates();
  readonly #signedIn = new Set<string>();
  readonly #report: MinuteReport;

  constructor(deps: SignInGuardDeps) {
    this.#deps = deps;
    deps.share?.onAnnounced((key, ms) => {
      if (key.startsWith(SIGNED_IN)) this.#remember(key.slice(SIGNED_IN.length));
      else this.#failures.add(key, ms, deps.clock.monotonic());
    });
    this.#report = new MinuteReport({
      clock: deps.clock,
      report: ({ address, counts }) => deps.logger.warn({ address, ...counts }, "sign-ins failed"),
    });
  }

  /** `verify` throws "unauthorised" for a wrong credential. A request without a credential is refused, not counted. */
  check<T>(request: Request, reply: Reply, entrance: Entrance, verify: () => T): T {
    const shown = credentialIn(request);
    if (shown === undefined) return verify();
    const client = clientKey(request);
    const known = `${client} ${digestOf(`${client} ${shown}`).toString("base64")}`;
    const waitMs = this.#waitMs(request.ip, client);
    if (waitMs > 0 && !this.#signedIn.has(known)) {
      this.#note(client, entrance, "blocked");
      reply.header("retry-after", Math.ceil(waitMs / 1_000));
      throw new AppError("rate-limited", "too many failed sign-ins from this address: wait, then try again");
    }
    try {
      const identity = verify();
      markAuthenticated(request);
      if (!this.#signedIn.has(known)) this.#deps.share?.announce(`${SIGNED_IN}${known}`, 0);
      this.#remember(known);
      return identity;
    } catch (error) {
      if (error instanceof AppError && error.code === "unauthorised") this.#failed(request.ip, client, entrance);
      throw error;
    }
  }

  /** Reports the current minute; call it when the process stops. */
  flush(): void {
    this.#report.flush();
  }

  #waitMs(ip: string, client: string): number {
    const now = this.#deps.clock.monotonic();
    return Math.max(...limitsOf(ip, client).map(([key, limit]) => this.#failures.waitMs(key, limit, now)));
  }

  #failed(ip: string, client: string, entrance: Entrance): void {
    const now = this.#deps.clock.monotonic();
    for (const [key, limit] of limitsOf(ip, client)) {
      if (this.#failures.take(key, limit, now) === 0) this.#deps.share?.announce(key, limit.eachMs);
    }
    this.#note(client, entrance, "wrong");
  }

  #note(client: string, entrance: Entrance, outcome: "wrong" | "blocked"): void {
    this.#deps.meter.count("sign_ins_failed_total", { entrance, outcome });
    this.#report.add(client, outcome);
  }

  #remember(known: string): void {
    this.#signedIn.delete(known);
    this.#signedIn.add(known);
    for (const oldest of this.#signedIn) {
      if (this.#signedIn.size <= MAX_REMEMBERED) return;
      this.#signedIn.delete(oldest);
    }
  }
}

/** The key of an IPv6 address has four groups; the first three are its network of 48 bits. */
const limitsOf = (ip: string, client: string): [key: string, limit: RateLimit][] => {
  if (allowanceOf(ip) > 1) return [[client, NETWORK_LIMIT]];
  const groups = client.split(":");
  return [[client, ADDRESS_LIMIT], ...(groups.length === 4 ? [ofNetwork(groups)] : [])];
};

const ofNetwork = (groups: readonly string[]): [string, RateLimit] => [
  `${groups.slice(0, 3).join(":")}/48`,
  NETWORK_LIMIT,
];

const credentialIn = ({ headers }: Request): string | undefined =>
  headers.authorization || headers["x-api-key"]?.toString() || undefined;

/** The SHA-256 digest that is stored and compared instead of a secret. */
export const digestOf = (secret: string): Buffer => Buffer.from(hash("sha256", secret, "hex"), "hex");

/** The digest of a configured secret, which may already be a digest: `sha256:` and 64 hex digits. */
export const configuredDigest = (secret: string): Buffer => {
  const hex = /^sha256:([0-9a-f]{64})$/i.exec(secret)?.[1];
  return hex === undefined ? digestOf(secret) : Buffer.from(hex, "hex");
};

/** Undefined without a bearer token; never an empty string. */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer (\S+)$/i.exec(authorization ?? "")?.[1];
