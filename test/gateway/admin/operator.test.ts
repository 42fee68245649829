import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Secret } from "../../../core/contract/secret.ts";
import { operatorCheck } from "../../../gateway/admin/operator.ts";

const TOKEN = "a-token-of-an-operator";
const DIGEST = `sha256:${createHash("sha256").update(TOKEN).digest("hex")}`;

describe("given a configuration with only the digest of an operator's token", () => {
  const check = operatorCheck([{ token: new Secret(DIGEST), role: "platform_admin" }], undefined);

  it("when the token is sent, then it is accepted, with the same name as a token in clear text", () => {
    const inClear = operatorCheck([{ token: new Secret(TOKEN), role: "platform_admin" }], undefined);
    expect(check(`Bearer ${TOKEN}`)).toEqual(inClear(`Bearer ${TOKEN}`));
  });

  it.each([DIGEST, "", "another-token-12345"])("when %j is sent, then it is rejected", (token) => {
    expect(() => check(`Bearer ${token}`)).toThrow("an operator's token is required");
  });
});

describe("given the digest of the empty string as an operator's token", () => {
  const empty = `sha256:${createHash("sha256").update("").digest("hex")}`;
  const check = operatorCheck([{ token: new Secret(empty), role: "platform_admin" }], undefined);

  it.each([undefined, "", "Bearer", "Bearer ", "Bearer  ", "Basic Og=="])(
    "when the header is %j, then the request is refused (R3)",
    (authorization) => {
      expect(() => check(authorization)).toThrow("an operator's token is required");
    },
  );
});
