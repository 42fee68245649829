/** What the tabs of one page tell each other. */
export type TabNews =
  /** All up to here has been read, in one of them. */
  | { readonly type: "read"; readonly seq: number }
  /** One that is looked at got no connection: those that nobody looks at let go of theirs. */
  | { readonly type: "full" }
  /** For those that have no connection. */
  | { readonly type: "unread"; readonly count: number };

/** Reaches the other tabs, where the browser lets it. */
export class TabChannel {
  readonly #channel: BroadcastChannel | undefined;

  constructor(name: string, hear: (news: TabNews) => void) {
    try {
      this.#channel = new BroadcastChannel(name);
      this.#channel.onmessage = ({ data }: MessageEvent<TabNews>) => hear(data);
    } catch {
      // Forbidden, as in a sandboxed frame: this tab is on its own.
    }
  }

  tell(news: TabNews): void {
    this.#channel?.postMessage(news);
  }

  close(): void {
    this.#channel?.close();
  }
}
