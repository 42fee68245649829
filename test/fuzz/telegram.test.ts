import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { makeTelegramAdapter, WEBHOOK_SECRET } from "../adapters/telegram/make-telegram-adapter.ts";
import { FakeTelegram } from "../fakes/telegram/fake-telegram.ts";
import { TestInbox } from "../fakes/test-inbox.ts";
import { fuzzRuns } from "./fuzz-runs.ts";
import { watchHarm } from "./harmless.ts";
import { mutated, mutatedText } from "./mutated.ts";

let close: () => Promise<void>;
afterEach(() => close());

const rigOf = async (settings: object) => {
  const telegram = await FakeTelegram.start();
  const adapter = makeTelegramAdapter(telegram, { settings, timing: { albumMs: 1 } });
  const inbox = new TestInbox();
  close = async () => {
    await adapter.stop();
    await telegram.stop();
  };
  await adapter.start(inbox);
  const ann = telegram.world.privateChat("ann");
  const files = ["a.txt", "b.txt"].map((name) => ({ name, mediaType: "text/plain", bytes: Buffer.from("x") }));
  const group = { chat: { id: telegram.world.group.id, type: "supergroup" } };
  const samples = () => [
    ...telegram.write({ person: "ann", in: ann, text: "hello" }),
    ...telegram.write({ person: "ann", in: telegram.world.group, text: "hello", topic: 901 }),
    ...telegram.write({ person: "ann", in: ann, text: "an album", files }),
    telegram.updates.number({
      callback_query: {
        id: "p1",
        from: telegram.world.person("ann"),
        data: "m1:cancel:w-1",
        message: { message_id: 1, ...group },
      },
    }),
    telegram.updates.number({ my_chat_member: { ...group, new_chat_member: { status: "kicked" } } }),
    telegram.move(telegram.world.group, -1_001_000_000_777),
  ];
  return { telegram, adapter, inbox, ann, samples: samples() };
};

describe("given malformed updates of Telegram (F19)", () => {
  it("when they arrive at the webhook, then each gets a documented answer, and the next valid one is received", async () => {
    const { telegram, adapter, inbox, ann, samples } = await rigOf({ mode: "webhook", webhookSecret: WEBHOOK_SECRET });
    const head = { query: {}, remoteAddress: "127.0.0.1", whenClosed: () => undefined };
    const headers = { "x-telegram-bot-api-secret-token": WEBHOOK_SECRET };
    const post = async (body: string) =>
      (await adapter.webhooks[0]?.handle({ ...head, headers, body: Buffer.from(body) }))?.status;
    const harm = watchHarm();
    let cases = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          mutatedText(samples),
          mutated(samples).map((each) => JSON.stringify(each) ?? ""),
        ),
        async (body) => {
          expect(await post(body)).toBe(200);
          const text = `still ${++cases}`;
          const [valid] = telegram.write({ person: "ann", in: ann, text });
          expect(await post(JSON.stringify(valid))).toBe(200);
          expect(inbox.accepted.items.at(-1)?.text).toBe(text);
        },
      ),
      fuzzRuns(150),
    );
    harm.expectNone();
  });

  it("when a poll returns them, then they are confirmed, and the next valid one is received", async () => {
    const { telegram, inbox, ann, samples } = await rigOf({});
    const harm = watchHarm();
    let cases = 0;
    await fc.assert(
      fc.asyncProperty(mutated(samples), async (update) => {
        const text = `still ${++cases}`;
        // Telegram itself numbers its updates.
        await telegram.send([{ ...Object(update), ...telegram.updates.number({}) }]);
        await telegram.send(telegram.write({ person: "ann", in: ann, text }));
        expect(inbox.accepted.items.at(-1)?.text).toBe(text);
      }),
      fuzzRuns(100),
    );
    harm.expectNone();
  });
});
