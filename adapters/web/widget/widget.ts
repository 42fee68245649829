import { newId } from "../client/chat/new-id.ts";
import { WebChat } from "../client/chat/web-chat.ts";
import type { HostToken } from "../client/host-identity.ts";
import { postWithProgress } from "../client/post-file.ts";
import type { Shown } from "../client/transcript.ts";
import { PanelState } from "./chat/panel-state.ts";
import { Uploads } from "./chat/uploads.ts";
import { publishKit } from "./kit.ts";
import { Formatter } from "./markdown/formatter.ts";
import { plainText } from "./markdown/snippet.ts";
import { type Mounted, mount } from "./mount.tsx";
import { textsFor } from "./page/load-texts.ts";
import { takeOwnerLink } from "./page/owner-link.ts";
import { showInTitle } from "./page/page-title.ts";
import { TabChannel, type TabMessage } from "./page/tab-channel.ts";
import { LazyViews } from "./view/lazy-views.ts";
import type { WidgetOptions } from "./widget-options.ts";

export interface WidgetEvents {
  /** Number of unread messages. */
  unread(count: number): void;
  open(): void;
  close(): void;
}

/** The chat on one page: connects the conversation, the host page and the views. */
export class Widget {
  readonly #events: WidgetEvents;
  readonly #chat: WebChat;
  readonly #panel: PanelState;
  readonly #tabs: TabChannel;
  readonly #formatter: Formatter;
  #mounted: Mounted | undefined;
  #hasRequestedSlot = false;
  #unread = 0;

  constructor(script: string, options: WidgetOptions, events: WidgetEvents, token: HostToken | undefined) {
    this.#events = events;
    const locale = options.locale ?? navigator.language;
    const changed = () => this.#mounted?.rerender();
    const texts = textsFor(
      options.locale === undefined ? navigator.languages : [options.locale],
      (language) => new URL(`widget-${language}.js`, script).href,
      changed,
    );
    const panel = new PanelState(changed);
    this.#panel = panel;
    const chat = new WebChat({
      // The gateway's address is that of the script.
      channel: script,
      locale,
      token,
      linkToken: takeOwnerLink(newId),
      WebSocket,
      post: postWithProgress,
      newId,
      changed: () => this.#changed(),
      arrived: (item) => this.#onReply(item),
      // They refer to messages that are no longer shown.
      cleared: () => panel.set({ answering: undefined, editing: undefined, commentOn: undefined }),
    });
    this.#chat = chat;
    const { model, conversations, draft } = chat;
    const uploads = new Uploads({
      send: (file, onProgress) => chat.files.upload(file, onProgress),
      rules: () => ({ maxBytes: model.limits.fileBytes, accept: options.accept }),
      texts,
      changed,
    });
    const adopt = (script: "mooringMore" | "mooringMarkdown") => () => {
      this.#mounted?.adopt(window[script]?.css ?? "");
      changed();
    };
    const lazy = new LazyViews(chat.url("widget-more.js"), publishKit, adopt("mooringMore"));
    const formatter = new Formatter(chat.url("widget-markdown.js"), adopt("mooringMarkdown"));
    this.#formatter = formatter;
    this.#tabs = new TabChannel(chat.prefix, (message) => this.#onTabMessage(message));
    const { files } = chat;
    const url = (path: string) => chat.url(path);
    const context = {
      options,
      texts,
      locale,
      model,
      conversations,
      panel,
      uploads,
      formatter,
      draft,
      lazy,
      files,
      url,
    };
    this.#mounted = mount(context, (isOpen) => this.show(isOpen));
    if (options.isOpen || options.target !== undefined) this.show(true);
    chat.open();
  }

  get isOpen(): boolean {
    return this.#panel.isOpen;
  }

  show(isOpen: boolean): void {
    if (isOpen === this.#panel.isOpen) return;
    this.#panel.set({ isOpen, preview: undefined });
    this.#changed();
    if (isOpen) {
      this.#formatter.load();
      this.#events.open();
    } else this.#events.close();
  }

  send(text: string): void {
    if (text.trim() !== "") this.#chat.model.send(text);
  }

  identify(token: HostToken | undefined): void {
    this.#chat.identify(token);
  }

  /** Deletes all stored data, for use when the visitor signs out. */
  remove(): void {
    this.#chat.forget();
    this.#tabs.close();
    this.#mounted?.remove();
    showInTitle(0);
  }

  #changed(): void {
    this.#requestSlot();
    this.#markRead();
    this.#mounted?.rerender();
  }

  /** A visible tab takes the connection slot of a hidden one. */
  #requestSlot(): void {
    const { status } = this.#chat.model;
    if (status === "open") this.#hasRequestedSlot = false;
    if (status !== "full" || document.hidden || this.#hasRequestedSlot) return;
    this.#hasRequestedSlot = true;
    this.#tabs.post({ type: "full" });
    setTimeout(() => this.#chat.client.reconnect(), SLOT_TIMEOUT_MS);
  }

  /** Marks visible entries as read. */
  #markRead(): void {
    const seq = this.#isVisible ? this.#chat.markRead() : undefined;
    if (seq !== undefined) this.#tabs.post({ type: "read", seq, conversation: this.#chat.conversations.current });
    this.#setUnread(this.#chat.unread);
  }

  get #isVisible(): boolean {
    return this.#panel.isOpen && !document.hidden;
  }

  #setUnread(count: number): void {
    if (count === this.#unread) return;
    this.#unread = count;
    this.#panel.set({ unread: count });
    showInTitle(count);
    this.#tabs.post({ type: "unread", count });
    this.#events.unread(count);
  }

  #onReply(item: Shown): void {
    this.#formatter.load();
    this.#panel.set({
      announced: plainText(item.markdown, this.#formatter),
      ...(!this.#panel.isOpen && { preview: item }),
    });
  }

  #onTabMessage(message: TabMessage): void {
    if (message.type === "read") {
      if (message.conversation !== this.#chat.conversations.current) return;
      this.#chat.read.moveTo(message.seq);
      this.#changed();
    } else if (message.type === "full" && document.hidden) this.#chat.client.yieldSlot();
    else if (message.type === "unread" && this.#chat.model.status === "full") {
      this.#panel.set({ unread: message.count });
      showInTitle(message.count);
    }
  }
}

const SLOT_TIMEOUT_MS = 500;
