import { describe, expect, it } from "vitest";
import { openWebhook, sealWebhook } from "../../../../gateway/a2a/tasks/webhooks.ts";

const key = { key: Buffer.alloc(32, 7) };
const webhook = {
  id: "mine",
  url: "https://crm.example.com/hook",
  version: "1.0",
  token: "a-secret-token",
  authentication: { scheme: "Bearer", credentials: "a-secret-credential" },
};

describe("given a caller's webhook in the store", () => {
  it("then its secrets are encrypted, and it can be decrypted", () => {
    const sealed = sealWebhook(key, webhook);
    expect(JSON.stringify(sealed)).not.toContain("a-secret");
    expect(openWebhook(key, sealed)).toEqual(webhook);
  });

  it("when it is registered twice, then the stored form is the same", () => {
    expect(sealWebhook(key, webhook)).toEqual(sealWebhook(key, webhook));
  });

  it("when it was stored before encryption existed, or has no secrets, then it is unchanged", () => {
    const { token: _, authentication: __, ...open } = webhook;
    for (const old of [webhook, open]) expect(openWebhook(key, old)).toEqual(old);
    expect(sealWebhook(key, open)).toEqual(open);
  });

  it("when a secret itself looks encrypted, then it is encrypted like any other", () => {
    const odd = { ...webhook, token: "sealed:abc" };
    expect(openWebhook(key, sealWebhook(key, odd))).toEqual(odd);
  });

  it("when the key was rotated, then the previous one opens it, and new secrets have the new one (U5)", () => {
    const rotated = { key: Buffer.alloc(32, 8), previousKey: key.key };
    expect(openWebhook(rotated, sealWebhook(key, webhook))).toEqual(webhook);
    expect(openWebhook({ key: rotated.key }, sealWebhook(rotated, webhook))).toEqual(webhook);
  });

  it.each([
    ["the key differs", { key: Buffer.alloc(32, 8) }, {}],
    ["its address was changed", key, { url: "https://elsewhere.example.com/hook" }],
    ["the encrypted secret is truncated", key, { token: "sealed:AAAA" }],
  ])("when %s, then it is not decrypted, and the error says what to do", (_, with_, changed) => {
    const sealed = { ...sealWebhook(key, webhook), ...changed };
    expect(() => openWebhook(with_, sealed)).toThrow("a2a.webhookKey");
  });
});
