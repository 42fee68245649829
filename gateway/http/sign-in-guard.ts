import type { FastifyReply, FastifyRequest } from "fastify";
import { allowanceOf, KeyedRates, RateLimit } from "../../adapters/contract/rate-limit.ts";
import { AppError } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import type { Meter } from "../../core/contract/ports/telemetry.ts";
import { digestOf } from "./credentials.ts";
import { clientKey, markAuthenticated } from "./limit-requests.ts";
import { MinuteReport } from "./minute-report.ts";

interface SignInGuardDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
}

/** Where a credential was shown. */
type Entrance = "admin" | "a2a" | "metrics";

type Asked = Pick<FastifyRequest, "ip" | "headers">;
type Answer = Pick<FastifyReply, "header">;

/** Wrong credentials that one address may show at once; then one every ten seconds. */
const OF_ADDRESS = new RateLimit(0.1, 10);
/** Of an IPv6 network of 48 bits, which one customer may have: 65,536 addresses of 64 bits. */
const OF_NETWORK = new RateLimit(1, 100);
const MAX_REMEMBERED = 10_000;

/**
 * Slows down guessing. An address with too many failures is refused before its credential is looked at; other addresses
 * are not affected, nor is a credential that has signed in from the same address before.
 */
export class SignInGuard {
  readonly #deps: SignInGuardDeps;
  readonly #failures = new KeyedRates();
  readonly #signedIn = new Set<string>();
  readonly #report: MinuteReport;

  constructor(deps: SignInGuardDeps) {
    this.#deps = deps;
    this.#report = new MinuteReport({
      clock: deps.clock,
      report: ({ address, counts }) => deps.logger.warn({ address, ...counts }, "sign-ins failed"),
    });
  }

  /** `verify` throws "unauthorised" for a wrong credential. A request without a credential is refused, not counted. */
  check<Who>(request: Asked, reply: Answer, entrance: Entrance, verify: () => Who): Who {
    const shown = credentialIn(request);
    if (shown === undefined) return verify();
    const client = clientKey(request);
    const known = `${client} ${digestOf(shown).toString("base64")}`;
    const waitMs = this.#waitMs(request.ip, client);
    if (waitMs > 0 && !this.#signedIn.has(known)) {
      this.#note(client, entrance, "blocked");
      reply.header("retry-after", Math.ceil(waitMs / 1_000));
      throw new AppError("rate-limited", "too many failed sign-ins from this address: wait, then try again");
    }
    try {
      const who = verify();
      markAuthenticated(request);
      this.#remember(known);
      return who;
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
    for (const [key, limit] of limitsOf(ip, client)) this.#failures.take(key, limit, now);
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

/** The key of an IPv6 address has four groups; three of them are its network of 48 bits. */
const limitsOf = (ip: string, client: string): [key: string, limit: RateLimit][] => {
  if (allowanceOf(ip) > 1) return [[client, OF_NETWORK]];
  const groups = client.split(":");
  return [[client, OF_ADDRESS], ...(groups.length === 4 ? [ofNetwork(groups)] : [])];
};

const ofNetwork = (groups: readonly string[]): [string, RateLimit] => [
  `${groups.slice(0, 3).join(":")}/48`,
  OF_NETWORK,
];

const credentialIn = ({ headers }: Asked): string | undefined =>
  headers.authorization || headers["x-api-key"]?.toString() || undefined;
