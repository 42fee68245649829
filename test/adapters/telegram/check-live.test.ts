import { describe, expect, it } from "vitest";
import { TelegramConfig } from "../../../adapters/telegram/config.ts";
import { WEBHOOK_SECRET } from "./make-telegram-adapter.ts";
import { telegramWith } from "./running-telegram.ts";

const webhook = { mode: "webhook", webhookSecret: WEBHOOK_SECRET };

describe("given mooring check --live on Telegram (C8)", () => {
  it("when everything fits, then it finds nothing, and it changes nothing", async () => {
    const { adapter, telegram } = await telegramWith();
    expect(await adapter.checkLive()).toEqual([]);
    expect(telegram.calls.items.map(({ method }) => method)).toEqual(["getMe", "getWebhookInfo"]);
  });

  it("when a webhook is set while the mode is polling, then it says so; a start removes it", async () => {
    const { adapter, telegram, inbox } = await telegramWith();
    telegram.updates.webhook = { url: "https://elsewhere.example/hook", secret: undefined };
    expect(await adapter.checkLive()).toEqual([
      expect.stringContaining("mode is polling, but Telegram sends messages to"),
    ]);
    await adapter.start(inbox);
    expect(telegram.updates.webhook.url).toBe("");
  });

  it("when no webhook, or another one, is set while the mode is webhook, then it says so; a start sets it", async () => {
    const { adapter, telegram, inbox } = await telegramWith({ settings: webhook, publicUrl: "https://chat.example" });
    expect(await adapter.checkLive()).toEqual([expect.stringContaining("no webhook is set")]);
    telegram.updates.webhook = { url: "https://elsewhere.example/hook", secret: undefined };
    expect(await adapter.checkLive()).toEqual([expect.stringContaining("instead of https://chat.example")]);
    await adapter.start(inbox);
    expect(telegram.updates.webhook).toEqual({
      url: "https://chat.example/channels/telegram/updates",
      secret: WEBHOOK_SECRET,
    });
    expect(await adapter.checkLive()).toEqual([]);
  });

  it("when privacy mode, the right to join groups or a group does not fit the settings, then it names the remedy", async () => {
    const access = { rooms: ["-100999"], mentionOnly: false };
    const { adapter, telegram } = await telegramWith({ settings: { access } });
    telegram.methods.joinsGroups = false;
    expect(await adapter.checkLive()).toEqual([
      expect.stringContaining("/setprivacy"),
      expect.stringContaining("/setjoingroups"),
      expect.stringContaining("cannot see group -100999"),
    ]);
  });

  it("when the token is wrong, then it says where to get another one", async () => {
    const { adapter, telegram, inbox } = await telegramWith();
    telegram.token = "another";
    expect(await adapter.checkLive()).toEqual([expect.stringContaining("@BotFather")]);
    await expect(adapter.start(inbox)).rejects.toThrow("refuses the bot token");
  });
});

describe("given settings of Telegram", () => {
  const base = { adapter: "telegram", botToken: "1:a", access: { accounts: "*" } };
  it.each([
    [{ ...base, access: {} }, /must name the accounts or the rooms/],
    [{ adapter: "telegram", botToken: "1:a" }, /access/],
    [{ ...base, access: { accounts: ["@ann"] } }, /must be a Telegram user id/],
    [{ ...base, access: { rooms: ["12"] } }, /must be the id of a Telegram group/],
    [{ ...base, mode: "webhook" }, /is required for mode webhook/],
    [{ ...base, mode: "webhook", webhookSecret: "too short" }, /16/],
    [{ ...base, mode: "webhook", webhookSecret: "has spaces in between" }, /letters, digits/],
  ])("when they are invalid (%#), then the error names the remedy", (settings, problem) => {
    expect(TelegramConfig.safeParse(settings).error?.message).toMatch(problem);
  });
});
