import type { MenuCommand } from "../../../core/contract/menu-command.ts";
import type { ReplyAction } from "../../../core/contract/messages/agent-reply.ts";
import type { Attachment } from "../../../core/contract/messages/user-message.ts";
import { fetchCommands } from "../client/chat/fetch-commands.ts";
import { newId } from "../client/chat/new-id.ts";
import { page } from "../client/chat/page-globals.ts";
import { WebChat } from "../client/chat/web-chat.ts";
import type { ConversationInfo } from "../client/conversation-requests.ts";
import type { NamedFile } from "../client/file-requests.ts";
import type { HostToken } from "../client/host-identity.ts";
import type { KeyValueStorage } from "../client/persistent-values.ts";
import type { WebSocketClass } from "../client/web-socket-transport.ts";
import type { ChatSnapshot } from "./chat-snapshot.ts";
import { Listeners } from "./listeners.ts";
import { postFile } from "./post-file.ts";
import { SnapshotReader } from "./read-snapshot.ts";

export interface ChatOptions {
  /** The address of the channel: `https://chat.example.com/channels/web/`. */
  readonly url: string;
  /** Signed by your server, or a function that fetches one. Absent: an anonymous visitor, whose token is stored. */
  readonly token?: HostToken | undefined;
  /** Such as "de-AT"; by default that of the browser. */
  readonly locale?: string | undefined;
  /** Where tokens, drafts and unsent messages are kept; by default the browser's storage, in Node the memory. */
  readonly storage?: KeyValueStorage | undefined;
  /** By default the global one; in Node 20 pass that of a package such as `ws`. */
  readonly WebSocket?: WebSocketClass | undefined;
}

export interface SendOptions {
  /** The id of the reply that the message answers. */
  readonly replyTo?: string | undefined;
  /** Uploaded before. */
  readonly attachments?: readonly Attachment[] | undefined;
}

/** A chat with the agent of one web channel. Methods work without a connection: what they send is sent later, once. */
export interface Chat {
  /** Calls the listener after each change; returns the function that ends this. */
  subscribe(listener: () => void): () => void;
  /** The current state; the same object until something changes. */
  getSnapshot(): ChatSnapshot;
  /** Connects and stays connected. */
  open(): void;
  /** Disconnects until `open`. */
  close(): void;
  /** Switches to the visitor of another token; without one, to the anonymous visitor of this browser. */
  identify(token?: HostToken): void;
  /** Disconnects and deletes everything that this browser has stored of the visitor. */
  signOut(): void;
  /** Continues as a new visitor, after a refusal. */
  startOver(): void;
  /** Sends a message; returns its id. */
  send(text: string, options?: SendOptions): string;
  /** Replaces an own message, its answer and all that follows. Returns the id of the new version. */
  edit(id: string, text: string): string | undefined;
  /** Requests another answer to an own message. Returns the id of its new version. */
  regenerate(id: string): string | undefined;
  /** Shows a version of an own message; without an id, the newest of all. */
  showVersion(id?: string): void;
  /** Sends a command, such as `command("status")`. */
  command(name: string, args?: string): string;
  /** Presses a button of a reply. */
  press(action: ReplyAction): string;
  /** Rates a reply; the same rating again, without a comment, takes it back. */
  rate(replyId: string, rating: "up" | "down", comment?: string): void;
  /** Stops the running answer; its text so far stays. */
  stop(): void;
  /** Sends a message again that was refused. */
  retry(id: string): void;
  /** Deletes a message that is not sent yet. */
  discard(id: string): void;
  loadOlder(): void;
  /** Everything loaded counts as read, on all devices. */
  markRead(): void;
  /** Stores the unsent text of this conversation; it survives the tab. */
  setDraft(text: string): void;
  /** Loads the list, and again after each change, also from another device. */
  loadConversations(): Promise<void>;
  /** The loaded conversations whose title has these words. */
  findConversations(words: string): readonly ConversationInfo[];
  enterConversation(id: string): void;
  /** Enters a new conversation at once. */
  startConversation(): void;
  renameConversation(id: string, title: string): Promise<void>;
  /** Deletes the messages of a conversation, and what the agent stored of them. Ask first. */
  deleteConversation(id: string): Promise<void>;
  /** Uploads a file, to send it as an attachment within 30 minutes. Rejects with a text for the person. */
  upload(file: NamedFile, onProgress?: (share: number) => void): Promise<Attachment>;
  /** The bytes of a file of this conversation. */
  download(file: Pick<Attachment, "id">): Promise<Blob>;
  /** The commands of the agent, for a menu. */
  commands(): Promise<readonly MenuCommand[]>;
}

/** Creates a chat; call `open` to connect it. */
export const createChat = (options: ChatOptions): Chat => {
  const listeners = new Listeners();
  let snapshot: ChatSnapshot | undefined;
  const changed = () => {
    snapshot = undefined;
    listeners.notify();
  };
  const locale = options.locale ?? page.navigator?.language ?? "en";
  const chat = new WebChat({
    channel: channelAddress(options.url),
    locale,
    token: options.token,
    WebSocket: socketClass(options),
    post: postFile,
    storage: options.storage,
    newId,
    changed,
    arrived: () => undefined,
    cleared: () => undefined,
  });
  const { model, conversations, files } = chat;
  const reader = new SnapshotReader(chat);
  return {
    subscribe: (listener) => listeners.add(listener),
    getSnapshot() {
      snapshot ??= reader.read();
      return snapshot;
    },
    open: () => chat.open(),
    close: () => chat.close(),
    identify: (token) => chat.identify(token),
    signOut() {
      chat.forget();
      model.cleared();
    },
    startOver: () => model.startOver(),
    send: (text, more) => model.send(text, more),
    edit: (id, text) => model.revise(id, text),
    regenerate: (id) => model.revise(id),
    showVersion: (id) => model.showVersion(id),
    command: (name, args = "") => model.command(name, args),
    press: ({ name, value = "" }) => model.command(name, value),
    rate: (id, rating, comment) => model.rate(id, rating, comment),
    stop: () => model.stopAnswer(),
    retry: (id) => model.retry(id),
    discard: (id) => model.discard(id),
    loadOlder: () => model.loadOlder(),
    markRead() {
      if (chat.markRead() !== undefined) changed();
    },
    setDraft(text) {
      chat.draft.text = text;
      changed();
    },
    async loadConversations() {
      conversations.isWanted = true;
      // Without a connection yet, the list is loaded with it.
      if (chat.client.token !== undefined) await conversations.load();
    },
    findConversations(words) {
      const wanted = words.trim().toLowerCase();
      return (conversations.items ?? []).filter(({ title = "" }) => title.toLowerCase().includes(wanted));
    },
    enterConversation: (id) => conversations.enter(id),
    startConversation: () => conversations.start(),
    renameConversation: (id, title) => conversations.rename(id, title),
    deleteConversation: (id) => conversations.delete(id),
    upload: (file, onProgress = () => undefined) => files.upload(file, onProgress),
    download: (file) => files.fetch(file),
    commands: () => fetchCommands(chat.url("commands"), locale),
  };
};

const channelAddress = (url: string): string => {
  if (!/^https?:\/\/[^/]/.test(url))
    throw new TypeError(`url must be the address of a web channel, "https://…/channels/web/" (got "${url}")`);
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/*$/, "/")}`;
};

const socketClass = ({ WebSocket }: ChatOptions): WebSocketClass => {
  const found = WebSocket ?? (globalThis as { WebSocket?: WebSocketClass }).WebSocket;
  if (found === undefined) throw new TypeError("this environment has no WebSocket: pass one as `WebSocket`");
  return found;
};
