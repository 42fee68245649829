import { createHash, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { credentialWeakness } from "../../../config/problems/check-credentials.ts";
import { MINIMAL, problemsOf } from "../problems-of.ts";

const digestOf = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const operator = (token: string) =>
  `${MINIMAL}admin: { tokens: [{ token: ${JSON.stringify(token)}, role: platform_admin }] }`;

describe("given an operator's token that can be guessed", () => {
  it.each([
    ["the digest of the empty string", digestOf(""), "digest of an empty value"],
    ["its digest in capitals", digestOf("").toUpperCase().replace("SHA256", "sha256"), "digest of an empty value"],
    ["the digest of a line break", digestOf("\n"), "digest of an empty value"],
    ["the digest of a well-known word", digestOf("changeme"), "well-known word"],
    ["the digest of a word that echo printed", digestOf("password\n"), "well-known word"],
    ["the digest of the variable's name", digestOf("$TOKEN"), "well-known word"],
    ["half a digest", "sha256:e3b0c44298fc1c14", "64 hex digits"],
    ["nothing", "", "must not be empty"],
    ["few characters", "kX9-vQ2_mT7.wZ4!pR1", "at least 20 characters"],
    ["one character repeated", "x".repeat(40), "too regular"],
    ["one piece repeated", "hZ7-qW3xhZ7-qW3xhZ7-qW3x", "too regular"],
    ["a row of characters", "abcdefghijklmnopqrstuvwxyz", "too regular"],
    ["well-known words", "Admin-Password-123456", "well-known words"],
    ["placeholder words", "replace-your-secret-token-here", "well-known words"],
    ["a space", "kX9 vQ2 mT7 wZ4 pR1 bN8", "without spaces"],
  ])("when it is %s, then the configuration is refused with the path and what to do (R3)", (_, token, message) => {
    expect(problemsOf(operator(token))).toEqual([
      { path: "admin.tokens[0].token", line: 2, message: expect.stringContaining(message) },
    ]);
  });

  it("when another agent's secret is regular, or the metrics token short, then they are refused as well", () => {
    const text = `${MINIMAL}a2a: { callers: { crm: { apiKey: ${"ab".repeat(10)} } } }\nmetrics: { token: short }`;
    expect(problemsOf(text).map(({ path }) => path)).toEqual(["a2a.callers.crm.apiKey", "metrics.token"]);
  });
});

describe("given a token from a random source", () => {
  it.each(["base64", "base64url", "hex"] as const)("when it is written in %s, then it is accepted", (encoding) => {
    for (let round = 0; round < 500; round++) {
      const token = randomBytes(16).toString(encoding);
      expect(credentialWeakness(token, 20), token).toBeUndefined();
      expect(credentialWeakness(digestOf(token), 20)).toBeUndefined();
    }
  });
});
