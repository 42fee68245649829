import { afterEach } from "vitest";
import type { TelegramAdapter } from "../../../adapters/telegram/adapter.ts";
import { FakeTelegram } from "../../fakes/telegram/fake-telegram.ts";
import { TestInbox } from "../../fakes/test-inbox.ts";
import { type AdapterOptions, makeTelegramAdapter } from "./make-telegram-adapter.ts";

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

export interface RunningTelegram {
  readonly telegram: FakeTelegram;
  readonly adapter: TelegramAdapter;
  readonly inbox: TestInbox;
}

/** A local Telegram and an adapter, which polls it once it is started. */
export const telegramWith = async (options: AdapterOptions = {}): Promise<RunningTelegram> => {
  const telegram = await FakeTelegram.start();
  const adapter = makeTelegramAdapter(telegram, options);
  cleanUp.push(
    () => telegram.stop(),
    () => adapter.stop(),
  );
  return { telegram, adapter, inbox: new TestInbox() };
};

export const runningTelegram = async (options: AdapterOptions = {}): Promise<RunningTelegram> => {
  const running = await telegramWith(options);
  await running.adapter.start(running.inbox);
  return running;
};
