import { describe, expect, it } from "vitest";
import { failureDetail, isUnreachable } from "../../../../core/a2a/client/peer-fetch.ts";
import { redactAddresses } from "../../../../core/a2a/record/redact.ts";
import { AppError } from "../../../../core/contract/app-error.ts";

const fetchFailed = (code: string): TypeError =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("cause"), { code }) });

describe("given a failed request to a remote agent", () => {
  it.each([
    "ECONNREFUSED",
    "ECONNRESET",
    "EHOSTUNREACH",
    "ENOTFOUND",
    "EAI_AGAIN",
    "EPIPE",
    "UND_ERR_SOCKET",
    "UND_ERR_CONNECT_TIMEOUT",
    "UND_ERR_HEADERS_TIMEOUT",
    "UND_ERR_BODY_TIMEOUT",
  ])("when its cause is %s, then it is retried", (code) => {
    expect(isUnreachable(fetchFailed(code))).toBe(true);
  });

  it.each([
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "CERT_HAS_EXPIRED",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "ERR_SSL_WRONG_VERSION_NUMBER",
    "EPROTO",
    "HPE_INVALID_CONSTANT",
  ])("when its cause is %s, then it is not retried", (code) => {
    expect(isUnreachable(fetchFailed(code))).toBe(false);
  });

  it('when it is an error of our own, then only "unavailable" is retried', () => {
    const wrapped = (error: AppError) => new TypeError("fetch failed", { cause: error });
    expect(isUnreachable(wrapped(new AppError("unavailable", "HTTP 503")))).toBe(true);
    for (const code of ["forbidden", "unauthorised", "too-large", "not-found"] as const) {
      expect(isUnreachable(wrapped(new AppError(code, "no"))), code).toBe(false);
    }
  });

  it("when the response cannot be parsed, then it is not retried", () => {
    expect(isUnreachable(new TypeError("Cannot read properties of null"))).toBe(false);
    expect(isUnreachable(new SyntaxError("Unexpected token"))).toBe(false);
    expect(failureDetail(fetchFailed("ECONNREFUSED"))).toBe("fetch failed: cause");
  });
});

describe("given a remote agent's failure reason", () => {
  it.each([
    ["see https://harbour.example/x?y=1.", "see [address]"],
    ["connect to 10.0.0.7:5432 failed", "connect to [address] failed"],
    ["connect to [fd00::1]:80 and ::1 failed", "connect to [address] and [address] failed"],
    ["db.internal:5432 and postgres:5432 are away", "[address] and [address] are away"],
    ["x-api-key: k-123 was wrong", "[removed] was wrong"],
    ["Bearer abcdef.ghi", "[removed]"],
    ["key 0123456789abcdef0123456789abcdef used", "key [removed] used"],
    [
      "the ferry left at 12:30:45, pier 3: 4 m deep, ratio 3:10",
      "the ferry left at 12:30:45, pier 3: 4 m deep, ratio 3:10",
    ],
  ])("when it is %j, then people read %j", (reason, text) => {
    expect(redactAddresses(reason)).toBe(text);
  });
});
