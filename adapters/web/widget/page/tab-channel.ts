/** Messages between the tabs of one page. */
export type TabMessage =
  /** One tab has read all entries of a conversation up to `seq`. */
  | { readonly type: "read"; readonly seq: number; readonly conversation: string }
  /** A visible tab got no connection; hidden tabs release theirs. */
  | { readonly type: "full" }
  /** For tabs without a connection. */
  | { readonly type: "unread"; readonly count: number };

/** Broadcasts to the other tabs, if the browser allows it. */
export class TabChannel {
  readonly #channel: BroadcastChannel | undefined;

  constructor(name: string, onMessage: (message: TabMessage) => void) {
    try {
      this.#channel = new BroadcastChannel(name);
      this.#channel.onmessage = ({ data }: MessageEvent<TabMessage>) => onMessage(data);
    } catch {
      // Forbidden, for example in a sandboxed frame: this tab works alone.
    }
  }

  post(message: TabMessage): void {
    this.#channel?.postMessage(message);
  }

  close(): void {
    this.#channel?.close();
  }
}
