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
  it("then its secrets are not, and it can be opened again", () => {
    const sealed = sealWebhook(key, webhook);
    expect(JSON.stringify(sealed)).not.toContain("a-secret");
    expect(openWebhook(key, sealed)).toEqual(webhook);
  });

  it("when it is given twice, then it is the same", () => {
    expect(sealWebhook(key, webhook)).toEqual(sealWebhook(key, webhook));
  });

  it("when it was stored before secrets were sealed, or has none, then it is as it was", () => {
    const { token: _, authentication: __, ...open } = webhook;
    for (const old of [webhook, open]) expect(openWebhook(key, old)).toEqual(old);
    expect(sealWebhook(key, open)).toEqual(open);
  });

  it("when a secret itself looks sealed, then it is one like any other", () => {
    const odd = { ...webhook, token: "sealed:abc" };
    expect(openWebhook(key, sealWebhook(key, odd))).toEqual(odd);
  });

  it.each([
    ["the key is another", { key: Buffer.alloc(32, 8) }, {}],
    ["somebody has changed its address", key, { url: "https://elsewhere.example.com/hook" }],
    ["what was sealed is cut short", key, { token: "sealed:AAAA" }],
  ])("when %s, then it is not opened, and the error says what to do", (_, with_, changed) => {
    const sealed = { ...sealWebhook(key, webhook), ...changed };
    expect(() => openWebhook(with_, sealed)).toThrow("a2a.webhookKey");
  });
});
