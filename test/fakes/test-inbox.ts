import type { Accepted, Inbox } from "../../adapters/contract/channel-adapter.ts";
import type { InboundMessage } from "../../core/contract/messages/user-message.ts";
import { Recorder } from "./recorder.ts";

/** An inbox that records messages, and can delay or refuse them. */
export class TestInbox implements Inbox {
  /** All messages, including refused ones. */
  readonly offered = new Recorder<InboundMessage>();
  readonly accepted = new Recorder<InboundMessage>();
  #next: (() => Promise<void>) | undefined;

  async accept(message: InboundMessage): Promise<Accepted> {
    const before = this.#next;
    this.#next = undefined;
    this.offered.add(message);
    await before?.();
    this.accepted.add(message);
    return undefined;
  }

  refuseNext(error: Error): void {
    this.#next = () => Promise.reject(error);
  }

  /** The next message is not accepted until the returned function is called. */
  holdNext(): () => void {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#next = () => held;
    return release;
  }
}
