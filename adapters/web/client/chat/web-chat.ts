import { ChatClient } from "../chat-client.ts";
import { AnonymousIdentity, type ChatIdentity } from "../chat-identity.ts";
import { ConversationRequests, NEW_CONVERSATION } from "../conversation-requests.ts";
import { FileRequests } from "../file-requests.ts";
import { HostIdentity, type HostToken } from "../host-identity.ts";
import { OutgoingQueue, type StoredQueue } from "../outgoing-queue.ts";
import { type KeyValueStorage, PersistentValues } from "../persistent-values.ts";
import type { PostFile } from "../post-file.ts";
import type { Shown } from "../transcript.ts";
import { type WebSocketClass, webSocketTransport } from "../web-socket-transport.ts";
import { ChatModel } from "./chat-model.ts";
import { Conversations } from "./conversations.ts";
import { DraftText } from "./draft-text.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { page, pageStorage } from "./page-globals.ts";
import { ReadMark } from "./read-mark.ts";
import { TabQueues } from "./tab-queues.ts";

export interface WebChatOptions {
  /** The address of the channel on the gateway, with "/" at its end. */
  readonly channel: string;
  readonly locale: string;
  /** Signed by the page's server; undefined: the anonymous visitor of this browser. */
  readonly token: HostToken | undefined;
  /** The token of a one-time link. */
  readonly linkToken?: string | undefined;
  readonly WebSocket: WebSocketClass;
  readonly post: PostFile;
  /** Replaces the browser's storage, and its queues per tab. */
  readonly storage?: KeyValueStorage | undefined;
  readonly newId: () => string;
  changed(): void;
  /** A new, complete message has arrived. */
  arrived(item: Shown): void;
  /** Another log is shown. */
  cleared(): void;
}

/** One visitor's chat without any view: connection, log, conversations, drafts, files and stored data. */
export class WebChat {
  readonly model: ChatModel;
  readonly client: ChatClient;
  readonly conversations: Conversations;
  readonly draft: DraftText;
  readonly read: ReadMark;
  readonly files: FileRequests;
  /** Of all names under which this chat stores or broadcasts. */
  readonly prefix: string;
  readonly #options: WebChatOptions;
  readonly #values: PersistentValues;
  readonly #queues: TabQueues | undefined;
  readonly #queue: OutgoingQueue;
  readonly #anonymous: AnonymousIdentity;
  #pageListeners = new AbortController();
  #isAnonymous = true;

  constructor(options: WebChatOptions) {
    this.#options = options;
    const { storage, locale, changed, newId, linkToken } = options;
    const socket = new URL("socket", options.channel);
    socket.protocol = socket.protocol.replace("http", "ws");
    const prefix = `mooring:${socket.host}${socket.pathname}:`;
    this.prefix = prefix;
    this.#values = new PersistentValues(() => storage ?? pageStorage("localStorage"), prefix);
    this.#queues = storage ? undefined : new TabQueues(prefix, newId());
    this.#queue = this.#queues?.queue ?? new OutgoingQueue(this.#values);
    this.#anonymous = new AnonymousIdentity(this.#values, linkToken);
    this.read = new ReadMark(this.#values);
    this.draft = new DraftText(this.#values);
    this.model = new ChatModel(() => this.client, this.#queue, newId, {
      changed,
      arrived: options.arrived,
      cleared: options.cleared,
      welcomed: (visitor, thread, last) => this.#welcomed(visitor, thread, last),
      changedElsewhere: () => void this.conversations.load(),
    });
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    this.client = new ChatClient(this.#identityOf(options.token), {
      transport: webSocketTransport(options.WebSocket, socket.href, () => void explainRefusal(this.url("origin"))),
      queue: this.#queue,
      listener: this.model,
      about: () => ({ timeZone, locale }),
      isWatched: () => !page.document?.hidden,
      start: (token) => this.conversations.requestStart(token),
    });
    const token = () => this.client.token;
    this.files = new FileRequests(this.url("files"), token, options.post);
    this.conversations = new Conversations({
      requests: new ConversationRequests(this.url("conversations"), token),
      values: this.#values,
      enter: (id) => this.client.enter(id),
      shown: (id) => this.draft.enter(id),
      deleted: (id) => this.draft.put(id, ""),
      changed,
    });
    // The token of a visitor without an identity is stored beside it, so unsent messages are shown during an outage as well.
    const visitor = this.#isAnonymous ? this.#values.get("visitor") : undefined;
    if (visitor !== undefined) this.#adoptQueues(visitor);
  }

  url(path: string): string {
    return new URL(path, this.#options.channel).href;
  }

  /** Connects, in the conversation that the previous page showed. */
  open(): void {
    this.#followPage();
    this.conversations.resume();
    this.client.open();
  }

  /** Switches to the visitor of the token; without one, to the anonymous visitor of this browser. */
  identify(token: HostToken | undefined): void {
    // Unsent messages of the previous visitor must not be sent as the new one.
    if (this.client.token !== undefined) this.#queue.clear();
    this.conversations.reset();
    this.client.switchTo(this.#identityOf(token));
  }

  get unread(): number {
    return this.read.unreadIn(this.model.entries);
  }

  /** Marks all loaded entries as read; returns the last `seq` if that is news. */
  markRead(): number | undefined {
    const last = this.model.transcript.entries.at(-1)?.seq ?? 0;
    if (!this.read.moveTo(last)) return undefined;
    this.conversations.markRead(last);
    return last;
  }

  /** Disconnects until `open`; stored data stays. */
  close(): void {
    this.#pageListeners.abort();
    this.client.close();
  }

  /** Deletes all stored data, for use when the visitor signs out. */
  forget(): void {
    this.close();
    this.#anonymous.forget();
    this.#queue.clear();
    this.#queues?.clear();
    this.conversations.reset();
    this.draft.clear();
    for (const name of ["read", "visitor"]) this.#values.set(name, undefined);
  }

  #welcomed(visitor: string, thread: string | undefined, last: number): void {
    const { draft, conversations } = this;
    this.read.enter(thread ?? visitor, last);
    const { current } = conversations;
    draft.enter(current, visitor);
    if (current === NEW_CONVERSATION && thread !== undefined) draft.move(current, thread);
    conversations.welcomed(thread);
    if (this.#isAnonymous) this.#values.set("visitor", visitor);
    this.#adoptQueues(visitor);
  }

  /** Messages that an ended tab of the same visitor could not send are sent now. */
  #adoptQueues(visitor: string): void {
    this.#queue.belongsTo(visitor);
    const isOwn = (queue: StoredQueue) =>
      queue.visitor === visitor || (queue.visitor === undefined && this.#isAnonymous);
    void this.#queues?.adopt(isOwn, ({ items }) => this.client.adopt(items));
  }

  #identityOf(token: HostToken | undefined): ChatIdentity {
    this.#isAnonymous = token === undefined;
    return token === undefined ? this.#anonymous : new HostIdentity(token);
  }

  #followPage(): void {
    this.#pageListeners.abort();
    this.#pageListeners = new AbortController();
    const { signal } = this.#pageListeners;
    page.addEventListener?.("online", () => this.client.reconnect(), { signal });
    page.addEventListener?.("offline", () => this.client.drop(), { signal });
    const look = () => {
      if (page.document?.hidden) return;
      this.client.reconnect();
      this.#options.changed();
    };
    page.document?.addEventListener("visibilitychange", look, { signal });
  }
}
