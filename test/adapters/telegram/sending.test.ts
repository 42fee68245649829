import { describe, expect, it } from "vitest";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleReply } from "../../fakes/sample-reply.ts";
import { Refused } from "../../fakes/telegram/bot-methods.ts";
import { FAULTS } from "../../fakes/telegram/fake-telegram.ts";
import { runningTelegram, telegramWith } from "./running-telegram.ts";

const privately = (id: number) => ({ channel: "telegram", room: String(id), kind: "private" }) as const;

describe("given deliveries to Telegram (C8)", () => {
  it("when Telegram refuses the mark-up, then the same text is sent once without it", async () => {
    const { telegram, adapter } = await runningTelegram();
    const { id } = telegram.world.privateChat("ann");
    telegram.faultIn = ({ body }) =>
      body.parse_mode === "HTML" ? new Refused(400, "Bad Request: can't parse entities: no") : undefined;
    const { messageId } = await adapter.deliver(sampleDelivery("r1", privately(id), "**bold** @ann_user"));
    expect(telegram.posted.map(({ text }) => text)).toEqual(["**bold** @\u2060ann_user"]);
    await adapter.edit(messageId, sampleDelivery("r2", privately(id), "*new*"));
    expect(telegram.posted.map(({ text }) => text)).toEqual(["*new*"]);
  });

  it("when Telegram limits a chat, then later deliveries there fail without a call, and other chats get theirs", async () => {
    const { telegram, adapter } = await runningTelegram();
    const [ann, bob] = ["ann", "bob"].map((name) => privately(telegram.world.privateChat(name).id));
    if (ann === undefined || bob === undefined) throw new Error("no chats");
    telegram.faultIn = ({ body }) => (body.chat_id === Number(ann.room) ? FAULTS.rateLimited() : undefined);
    await expect(adapter.deliver(sampleDelivery("r1", ann, "one"))).rejects.toMatchObject({ retryAfterMs: 3_000 });
    telegram.recover();
    await expect(adapter.deliver(sampleDelivery("r1", ann, "one"))).rejects.toMatchObject({ reason: "rate-limited" });
    await adapter.deliver(sampleDelivery("r2", bob, "two"));
    expect(telegram.posted.map(({ text }) => text)).toEqual(["two"]);
  });

  it("when the value of a button is longer than 64 bytes, then a press still has it, and an unknown one is explained", async () => {
    const { telegram, adapter, inbox } = await runningTelegram();
    const { id } = telegram.world.privateChat("ann");
    const value = `task ${"ü".repeat(100)}`;
    const reply = sampleReply("r1", privately(id), "work", { actions: [{ name: "cancel", label: "Cancel", value }] });
    await adapter.deliver(sampleDelivery("r1", privately(id), "work", { reply }));
    const [post] = telegram.posted;
    if (post === undefined) throw new Error("no post");
    await telegram.send([telegram.press("ann", post, "Cancel")]);
    expect(inbox.accepted.items).toMatchObject([{ kind: "command", command: { name: "cancel", args: value } }]);
    post.keyboard = [[{ text: "Old", callback_data: "m2:unknown" }]];
    await telegram.send([telegram.press("ann", post, "Old", "press-2")]);
    expect((await telegram.methods.presses.count(2))[1]?.text).toContain("too old");
  });

  it("when the text is too long for a caption and the upload fails, then the outcome is unknown and nothing repeats", async () => {
    const { telegram, adapter } = await runningTelegram();
    const { id } = telegram.world.privateChat("ann");
    const content = Buffer.from("x");
    const file = { name: "a.csv", mediaType: "text/csv", bytes: 1, read: async () => content };
    telegram.faultIn = ({ method }) => (method === "sendDocument" ? FAULTS.rateLimited() : undefined);
    const long = sampleDelivery("r1", privately(id), "word ".repeat(400), { files: [file] });
    await expect(adapter.deliver(long)).rejects.toMatchObject({ reason: "unknown" });
    expect(telegram.posted).toHaveLength(1);
  });

  it("when an image is sent, then it is a photo, or a file if Telegram refuses the photo", async () => {
    const { telegram, adapter } = await runningTelegram();
    const { id } = telegram.world.privateChat("ann");
    const content = Buffer.from("png");
    const file = { name: "a.png", mediaType: "image/png", bytes: 3, read: async () => content };
    telegram.faultIn = ({ method }) =>
      method === "sendPhoto" ? new Refused(400, "Bad Request: PHOTO_INVALID_DIMENSIONS") : undefined;
    await adapter.deliver(sampleDelivery("r1", privately(id), "look", { files: [file] }));
    telegram.recover();
    await adapter.deliver(sampleDelivery("r2", privately(id), "look", { files: [file] }));
    const sent = telegram.calls.items.map(({ method }) => method).filter((method) => /Photo|Document/.test(method));
    expect(sent).toEqual(["sendPhoto", "sendDocument", "sendPhoto"]);
  });

  it("when links are in a text, then they have no preview", async () => {
    const { telegram, adapter } = await runningTelegram();
    const { id } = telegram.world.privateChat("ann");
    await adapter.deliver(sampleDelivery("r1", privately(id), "https://a.example"));
    const sent = telegram.calls.items.find(({ method }) => method === "sendMessage");
    expect(sent?.body.link_preview_options).toEqual({ is_disabled: true });
  });

  it("when calls fail, then no log line and no error has the bot token", async () => {
    const logger = new RecordingLogger();
    const { telegram, adapter, inbox } = await telegramWith({ logger });
    await telegram.stop();
    const failure = await adapter.start(inbox).catch((error: unknown) => error);
    expect(String((failure as Error).message)).toContain("could not be reached");
    expect(JSON.stringify([logger.lines.items, failure, (failure as Error).stack])).not.toContain(telegram.token);
  });
});
