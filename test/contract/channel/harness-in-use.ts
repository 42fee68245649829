import { afterEach, beforeEach } from "vitest";
import type { ChannelAdapter } from "../../../adapters/contract/channel-adapter.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { InboundMessage } from "../../../core/contract/messages/user-message.ts";
import { TestInbox } from "../../fakes/test-inbox.ts";
import type { ChannelHarness, Said } from "../channel-harness.ts";

export type MakeHarness = (options: { channel: string }) => Promise<ChannelHarness>;

/** A harness of its own for each test, with what the cases ask of it over and over. */
export class HarnessInUse {
  harness!: ChannelHarness;
  inbox!: TestInbox;

  constructor(makeHarness: MakeHarness, options: { start: boolean }) {
    beforeEach(async () => {
      this.inbox = new TestInbox();
      this.harness = await makeHarness({ channel: "main" });
      if (options.start) await this.harness.start(this.inbox);
    });
    afterEach(() => this.harness.close());
  }

  get adapter(): ChannelAdapter {
    return this.harness.adapter;
  }

  /** The message that the adapter made of what somebody said. */
  async heard(said: Said): Promise<InboundMessage> {
    return heardBy(this.harness, this.inbox, said);
  }

  /** A conversation as the outbox has it: read back from a store, with no object of the adapter in it. */
  async conversationWith(said: Partial<Said> = {}): Promise<Conversation> {
    const { conversation } = await this.heard({ text: "hello", ...said });
    return JSON.parse(JSON.stringify(conversation));
  }

  restart(): Promise<void> {
    return this.harness.restart(this.inbox);
  }
}

export const heardBy = async (harness: ChannelHarness, inbox: TestInbox, said: Said): Promise<InboundMessage> => {
  const before = inbox.accepted.items.length;
  await harness.userSays(said);
  const messages = await inbox.accepted.count(before + 1);
  return messages[before] as InboundMessage;
};

/** What a promise was rejected with. */
export const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "no failure",
    (error: unknown) => error,
  );
