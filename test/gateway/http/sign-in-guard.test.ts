import { beforeEach, describe, expect, it } from "vitest";
import { AppError } from "../../../core/contract/app-error.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { SignInGuard } from "../../../gateway/http/sign-in-guard.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";

const RIGHT = "Bearer right";
let clock: ManualClock;
let guard: SignInGuard;
let lines: Record<string, unknown>[];
let counted: string[];

beforeEach(() => {
  clock = new ManualClock();
  lines = [];
  counted = [];
  guard = new SignInGuard({
    clock,
    logger: { ...silentLogger, warn: (fields) => void lines.push(fields) },
    meter: {
      count: (_, labels) => void counted.push(Object.values(labels ?? {}).join(" ")),
      observe: () => undefined,
      gauge: () => undefined,
    },
  });
});

interface Try {
  readonly ip?: string;
  readonly authorization?: string | undefined;
  readonly headers?: Record<string, string>;
}

/** "in", or the error's code, with Retry-After where there is one. */
const outcomeOf = ({ ip = "203.0.113.7", authorization = "Bearer wrong", headers = {} }: Try): string => {
  const answered: unknown[] = [];
  const reply = { header: (_: string, value: unknown) => answered.push(value) };
  const request = { ip, headers: { ...headers, ...(authorization && { authorization }) } };
  try {
    guard.check(request, reply as never, "admin", () => {
      if (request.headers.authorization !== RIGHT) throw new AppError("unauthorised", "wrong");
    });
    return "in";
  } catch (error) {
    return [error instanceof AppError ? error.code : error, ...answered].join(" ");
  }
};
const times = (count: number, attempt: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => attempt(n));

describe("given an address that sends wrong tokens", () => {
  it("when ten were wrong, then the next is refused unchecked with Retry-After, and accepted again afterwards (R3)", () => {
    expect(new Set(times(10, () => outcomeOf({})))).toEqual(new Set(["unauthorised"]));
    expect(outcomeOf({})).toBe("rate-limited 10");
    expect(outcomeOf({ authorization: RIGHT })).toBe("rate-limited 10");
    clock.advance(10_000);
    expect(outcomeOf({ authorization: RIGHT })).toBe("in");
  });

  it("when it is blocked, then other addresses can sign in, and so can a token that has signed in from there before", () => {
    expect(outcomeOf({ authorization: RIGHT })).toBe("in");
    times(5_000, () => outcomeOf({}));
    expect(outcomeOf({ authorization: RIGHT })).toBe("in");
    expect(outcomeOf({ ip: "203.0.113.8", authorization: RIGHT })).toBe("in");
    expect(outcomeOf({})).toMatch(/^rate-limited/);
  });

  it("when requests have no credential, then they are refused and never counted", () => {
    times(50, () => outcomeOf({ authorization: "" }));
    expect(outcomeOf({ authorization: RIGHT })).toBe("in");
    clock.advance(60_000);
    expect([lines, counted]).toEqual([[], []]);
  });

  it("when it has an IPv6 network of 64 bits, then that counts as one address; one of 48 bits gets ten times the limit", () => {
    times(10, (n) => outcomeOf({ ip: `2001:db8:0:1::${n}` }));
    expect(outcomeOf({ ip: "2001:db8:0:1::ffff" })).toBe("rate-limited 10");
    expect(outcomeOf({ ip: "2001:db8:0:2::1", authorization: RIGHT })).toBe("in");
    times(200, (n) => outcomeOf({ ip: `2001:db8:0:${(n + 16).toString(16)}::1` }));
    expect(outcomeOf({ ip: "2001:db8:0:f000::1" })).toBe("rate-limited 1");
    expect(outcomeOf({ ip: "2001:db8:1:1::1", authorization: RIGHT })).toBe("in");
  });

  it("when guesses come through an undeclared local proxy, then programs on this machine can still sign in", () => {
    times(300, () => outcomeOf({ ip: "127.0.0.1", headers: { "x-forwarded-for": "198.51.100.9" } }));
    expect(outcomeOf({ ip: "127.0.0.1", authorization: RIGHT })).toBe("in");
  });
});

describe("given 5,000 guesses from one address within a minute", () => {
  it("when the minute ends, then there is one log line with both counts, and a metric counts all (R3)", () => {
    times(5_000, () => outcomeOf({}));
    expect(lines).toEqual([]);
    clock.advance(60_000);
    expect(lines).toEqual([{ address: "203.0.113.7", wrong: 10, blocked: 4_990 }]);
    expect(counted).toHaveLength(5_000);
    expect(clock.pending).toBe(0);
  });

  it("when they come from 1,000 addresses, then the log has 21 lines, and their sum is complete", () => {
    times(5_000, (n) => outcomeOf({ ip: `198.51.${n % 4}.${(n >> 2) % 250}` }));
    guard.flush();
    expect(lines).toHaveLength(21);
    expect(lines.reduce((sum, { wrong }) => sum + Number(wrong), 0)).toBe(5_000);
    expect(lines.at(-1)).toMatchObject({ address: "980 other addresses" });
  });
});
