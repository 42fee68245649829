import type { EditingAdapter, SignalAdapter, TypingAdapter } from "../../adapters/contract/abilities.ts";
import type { Capabilities, Delivery, Inbox, Receipt } from "../../adapters/contract/channel-adapter.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { UserSignal } from "../../core/contract/messages/signals.ts";
import { Recorder } from "./recorder.ts";

/** A channel without a platform: records deliveries and signals, and can delay or fail on demand. */
export class LogChannel implements SignalAdapter, TypingAdapter {
  readonly channel: string;
  readonly capabilities: Capabilities;
  readonly deliveries = new Recorder<Delivery>();
  readonly signals = new Recorder<UserSignal>();
  readonly typing = new Recorder<Conversation>();
  /** "start", "stop" and the ids of deliveries, in order. */
  readonly events = new Recorder<string>();
  inbox: Inbox | undefined;
  /** Runs before each delivery; a rejection fails it. */
  before: (delivery: Delivery) => Promise<void> = async () => undefined;
  beforeStart: () => Promise<void> = async () => undefined;

  constructor(channel: string, capabilities: Capabilities = { connection: "shared", resend: "log" }) {
    this.channel = channel;
    this.capabilities = capabilities;
  }

  async start(inbox: Inbox): Promise<void> {
    await this.beforeStart();
    this.inbox = inbox;
    this.events.add("start");
  }

  async deliver(delivery: Delivery): Promise<Receipt> {
    await this.before(delivery);
    this.deliveries.add(delivery);
    this.events.add(delivery.id);
    return { messageId: delivery.id };
  }

  async stop(): Promise<void> {
    this.events.add("stop");
  }

  onSignal(signal: UserSignal): void {
    this.signals.add(signal);
  }

  async showTyping(conversation: Conversation): Promise<void> {
    this.typing.add(conversation);
  }
}

/** A log channel whose entries can be edited. */
export class EditingLogChannel extends LogChannel implements EditingAdapter {
  readonly edits = new Recorder<{ messageId: string; delivery: Delivery }>();

  async edit(messageId: string, delivery: Delivery): Promise<Receipt> {
    await this.before(delivery);
    this.edits.add({ messageId, delivery });
    this.events.add(delivery.id);
    return { messageId };
  }
}
