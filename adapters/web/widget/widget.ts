import type { Attachment } from "../../../core/contract/messages/user-message.ts";
import { ChatClient } from "../client/chat-client.ts";
import { AnonymousIdentity, type ChatIdentity } from "../client/chat-identity.ts";
import { ConversationRequests } from "../client/conversation-requests.ts";
import type { OutgoingQueue, StoredQueue } from "../client/outgoing-queue.ts";
import { PersistentValues } from "../client/persistent-values.ts";
import type { Shown } from "../client/transcript.ts";
import { ChatModel } from "./chat/chat-model.ts";
import { Conversations } from "./chat/conversations.ts";
import { DraftText } from "./chat/draft-text.ts";
import { PanelState } from "./chat/panel-state.ts";
import { ReadMark } from "./chat/read-mark.ts";
import { Uploads } from "./chat/uploads.ts";
import { publishKit } from "./kit.ts";
import { Formatter } from "./markdown/formatter.ts";
import { plainText } from "./markdown/snippet.ts";
import { type Mounted, mount } from "./mount.tsx";
import { browserTransport } from "./page/browser-transport.ts";
import { explainRefusal } from "./page/explain-refusal.ts";
import { fetchCommands } from "./page/fetch-commands.ts";
import { FileRequests } from "./page/file-requests.ts";
import { HostIdentity, type HostToken } from "./page/host-identity.ts";
import { textsFor } from "./page/load-texts.ts";
import { takeOwnerLink } from "./page/owner-link.ts";
import { showInTitle } from "./page/page-title.ts";
import { TabChannel, type TabMessage } from "./page/tab-channel.ts";
import { TabQueues } from "./page/tab-queues.ts";
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
  readonly #values: PersistentValues;
  readonly #queues: TabQueues;
  readonly #queue: OutgoingQueue;
  readonly #client: ChatClient;
  readonly #model: ChatModel;
  readonly #panel: PanelState;
  readonly #read: ReadMark;
  readonly #draft: DraftText;
  readonly #tabs: TabChannel;
  readonly #conversations: Conversations;
  readonly #formatter: Formatter;
  readonly #anonymous: AnonymousIdentity;
  readonly #pageListeners = new AbortController();
  #mounted: Mounted | undefined;
  #hasRequestedSlot = false;
  #isAnonymous = true;
  #unread = 0;

  constructor(script: string, options: WidgetOptions, events: WidgetEvents, token: HostToken | undefined) {
    this.#events = events;
    const socket = new URL("socket", script);
    socket.protocol = socket.protocol.replace("http", "ws");
    const prefix = `mooring:${socket.host}${socket.pathname}:`;
    const locale = options.locale ?? navigator.language;
    this.#values = new PersistentValues(() => localStorage, prefix);
    this.#queues = new TabQueues(prefix, newId());
    this.#queue = this.#queues.queue;
    this.#read = new ReadMark(this.#values);
    this.#draft = new DraftText(this.#values);
    this.#anonymous = new AnonymousIdentity(this.#values, takeOwnerLink(newId));
    const changed = () => this.#mounted?.rerender();
    const texts = textsFor(
      options.locale === undefined ? navigator.languages : [options.locale],
      (language) => new URL(`widget-${language}.js`, script).href,
      changed,
    );
    this.#panel = new PanelState(changed);
    this.#model = new ChatModel(() => this.#client, this.#queue, newId, {
      changed: () => this.#changed(),
      arrived: (item) => this.#onReply(item),
      welcomed: (visitor, thread, last) => {
        this.#read.enter(thread ?? visitor, last);
        this.#draft.enter(visitor);
        if (this.#isAnonymous) this.#values.set("visitor", visitor);
        this.#adoptQueues(visitor);
        this.#conversations.welcomed(thread);
      },
      changedElsewhere: () => void this.#conversations.load(),
    });
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    this.#client = new ChatClient(this.#identityOf(token), {
      transport: browserTransport(socket.href, () => void explainRefusal(new URL("origin", script).href)),
      queue: this.#queue,
      listener: this.#model,
      about: () => ({ timeZone, locale }),
      isWatched: () => !document.hidden,
    });
    const requests = new ConversationRequests(new URL("conversations", script).href, () => this.#client.token);
    const enter = (id: string) => this.#client.enter(id);
    this.#conversations = new Conversations({ requests, values: this.#values, enter, changed });
    // The token of a visitor without an identity is stored beside it, so unsent messages are shown during an outage as well.
    const visitor = this.#isAnonymous ? this.#values.get("visitor") : undefined;
    if (visitor !== undefined) this.#adoptQueues(visitor);
    const files = new FileRequests(new URL("files", script).href, () => this.#client.token);
    const uploads = new Uploads({
      send: (file, onProgress) => files.upload(file, onProgress),
      rules: () => ({ maxBytes: this.#model.limits.fileBytes, accept: options.accept }),
      texts,
      changed,
    });
    const lazy = new LazyViews(new URL("widget-more.js", script).href, publishKit, () => {
      this.#mounted?.adopt(window.mooringMore?.css ?? "");
      changed();
    });
    this.#formatter = new Formatter(new URL("widget-markdown.js", script).href, changed);
    this.#tabs = new TabChannel(prefix, (message) => this.#onTabMessage(message));
    const [model, panel, formatter] = [this.#model, this.#panel, this.#formatter];
    const [draft, conversations] = [this.#draft, this.#conversations];
    const context = { options, texts, locale, model, conversations, panel, uploads, formatter, draft, lazy };
    const more = {
      download: (file: Attachment) => files.download(file),
      fetchFile: (file: Attachment) => files.fetch(file),
      thumbnail: (file: Attachment) => files.thumbnail(file),
      commands: () => fetchCommands(new URL("commands", script).href),
    };
    this.#mounted = mount({ ...context, ...more }, (isOpen) => this.show(isOpen));
    this.#followPage();
    if (options.isOpen || options.target !== undefined) this.show(true);
    this.#conversations.resume();
    this.#client.open();
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
    if (text.trim() !== "") this.#model.send(text);
  }

  /** Switches to the visitor of the token; without one, to the anonymous visitor of this browser. */
  identify(token: HostToken | undefined): void {
    // Unsent messages of the previous visitor must not be sent as the new one.
    if (this.#client.token !== undefined) this.#queue.clear();
    this.#client.switchTo(this.#identityOf(token));
  }

  /** Deletes all stored data, for use when the visitor signs out. */
  remove(): void {
    this.#pageListeners.abort();
    this.#client.close();
    this.#anonymous.forget();
    this.#queues.clear();
    for (const name of ["read", "draft", "visitor", "conversation"]) this.#values.set(name, undefined);
    this.#tabs.close();
    this.#mounted?.remove();
    showInTitle(0);
  }

  /** Messages that an ended tab of the same visitor could not send are sent now. */
  #adoptQueues(visitor: string): void {
    this.#queue.belongsTo(visitor);
    const isOwn = (queue: StoredQueue) =>
      queue.visitor === visitor || (queue.visitor === undefined && this.#isAnonymous);
    void this.#queues.adopt(isOwn, ({ items }) => this.#client.adopt(items));
  }

  #identityOf(token: HostToken | undefined): ChatIdentity {
    this.#isAnonymous = token === undefined;
    return token === undefined ? this.#anonymous : new HostIdentity(token);
  }

  #followPage(): void {
    const { signal } = this.#pageListeners;
    addEventListener("online", () => this.#client.reconnect(), { signal });
    addEventListener("offline", () => this.#client.drop(), { signal });
    const look = () => {
      if (document.hidden) return;
      this.#client.reconnect();
      this.#changed();
    };
    document.addEventListener("visibilitychange", look, { signal });
  }

  #changed(): void {
    this.#requestSlot();
    this.#markRead();
    this.#mounted?.rerender();
  }

  /** A visible tab takes the connection slot of a hidden one. */
  #requestSlot(): void {
    const { status } = this.#model;
    if (status === "open") this.#hasRequestedSlot = false;
    if (status !== "full" || document.hidden || this.#hasRequestedSlot) return;
    this.#hasRequestedSlot = true;
    this.#tabs.post({ type: "full" });
    setTimeout(() => this.#client.reconnect(), SLOT_TIMEOUT_MS);
  }

  /** Marks visible entries as read. */
  #markRead(): void {
    const last = this.#model.transcript.entries.at(-1)?.seq ?? 0;
    if (this.#isVisible && this.#read.moveTo(last)) {
      this.#tabs.post({ type: "read", seq: last, conversation: this.#conversations.current });
      this.#conversations.markRead(last);
    }
    this.#setUnread(this.#read.unreadIn(this.#model.entries));
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
      if (message.conversation !== this.#conversations.current) return;
      this.#read.moveTo(message.seq);
      this.#changed();
    } else if (message.type === "full" && document.hidden) this.#client.yieldSlot();
    else if (message.type === "unread" && this.#model.status === "full") {
      this.#panel.set({ unread: message.count });
      showInTitle(message.count);
    }
  }
}

const SLOT_TIMEOUT_MS = 500;

/** Works on plain http too, where randomUUID does not exist. */
const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
