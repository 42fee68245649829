import { afterEach, beforeEach } from "vitest";
import type { ChannelAdapter } from "../../../adapters/contract/channel-adapter.ts";
import type { ReplyAction } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { InboundMessage } from "../../../core/contract/messages/user-message.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleReply } from "../../fakes/sample-reply.ts";
import { TestInbox } from "../../fakes/test-inbox.ts";
import type { ChannelHarness, ConversationKind, HarnessOptions, MakeHarness, Said } from "../channel-harness.ts";

export type { MakeHarness } from "../channel-harness.ts";

/** A new harness for each test, with the steps that many cases share. */
export class ContractRig {
  harness!: ChannelHarness;
  inbox!: TestInbox;

  constructor(makeHarness: MakeHarness, options: { start: boolean } & Pick<HarnessOptions, "listens">) {
    const { start, ...rest } = options;
    beforeEach(async () => {
      this.inbox = new TestInbox();
      this.harness = await makeHarness({ channel: "main", ...rest });
      if (start) await this.harness.start(this.inbox);
    });
    afterEach(() => this.harness.close());
  }

  get adapter(): ChannelAdapter {
    return this.harness.adapter;
  }

  /** The shared kind of conversation, or the only one. */
  get widestKind(): ConversationKind {
    return this.harness.kinds.includes("shared") ? "shared" : "private";
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
  // After a restart a platform may also deliver earlier messages again.
  const isIt = ({ text }: InboundMessage, at: number) => at >= before && text.includes(said.text);
  const messages = await inbox.accepted.until((items) => items.some(isIt));
  return messages.find(isIt) as InboundMessage;
};

/** A delivery of a reply that offers buttons. */
export const deliveryWithButtons = (
  replyId: string,
  target: Conversation,
  text: string,
  actions: readonly ReplyAction[],
) => sampleDelivery(replyId, target, text, { reply: sampleReply(replyId, target, text, { actions: [...actions] }) });

/** The error of a rejected promise. */
export const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "no failure",
    (error: unknown) => error,
  );

/** The reason of a failed delivery; any other outcome as it is. */
export const reasonOf = async (work: Promise<unknown>): Promise<unknown> => {
  const failure = await failureOf(work);
  return failure instanceof Error && "reason" in failure ? failure.reason : failure;
};
