import { afterEach, beforeEach } from "vitest";
import type { ChannelAdapter } from "../../../adapters/contract/channel-adapter.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { InboundMessage } from "../../../core/contract/messages/user-message.ts";
import { TestInbox } from "../../fakes/test-inbox.ts";
import type { ChannelHarness, Said } from "../channel-harness.ts";

export type MakeHarness = (options: { channel: string }) => Promise<ChannelHarness>;

/** A new harness for each test, with the steps that many cases share. */
export class ContractRig {
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

  /** Sends a person's message; resolves to the message that the inbox accepts. */
  async accepted(said: Said): Promise<InboundMessage> {
    return acceptedBy(this.harness, this.inbox, said);
  }

  /** A conversation as the outbox gets it from the store, without objects of the adapter. */
  async conversationWith(said: Partial<Said> = {}): Promise<Conversation> {
    const { conversation } = await this.accepted({ text: "hello", ...said });
    return JSON.parse(JSON.stringify(conversation));
  }

  restart(): Promise<void> {
    return this.harness.restart(this.inbox);
  }
}

export const acceptedBy = async (harness: ChannelHarness, inbox: TestInbox, said: Said): Promise<InboundMessage> => {
  const before = inbox.accepted.items.length;
  await harness.userSays(said);
  const messages = await inbox.accepted.count(before + 1);
  return messages[before] as InboundMessage;
};

/** The error of a rejected promise. */
export const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "no failure",
    (error: unknown) => error,
  );
