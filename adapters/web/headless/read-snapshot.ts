import { FEEDBACK } from "../client/chat/shown-entries.ts";
import type { WebChat } from "../client/chat/web-chat.ts";
import type { Outgoing } from "../client/outgoing-queue.ts";
import type { Entry } from "../client/transcript.ts";
import type { ChatEntry, ChatSnapshot, PendingMessage } from "./chat-snapshot.ts";

/** Reads immutable snapshots of a chat. */
export class SnapshotReader {
  readonly #chat: WebChat;
  /** Entries that have not changed stay the same objects, so that views can skip them. */
  #entries = new Map<string, { readonly source: unknown[]; readonly entry: ChatEntry }>();
  readonly #pending = new WeakMap<Outgoing, PendingMessage>();

  constructor(chat: WebChat) {
    this.#chat = chat;
  }

  read(): ChatSnapshot {
    const { model, conversations, draft, unread } = this.#chat;
    return Object.freeze({
      status: model.status,
      refusal: model.refusal,
      isHeld: model.isHeld,
      agent: model.agent,
      entries: this.#readEntries(),
      pending: Object.freeze(model.outgoing.filter(isShown).map((item) => this.#readPending(item))),
      drafts: Object.freeze(
        [...model.transcript.drafts].map(([answers, { text }]) => Object.freeze({ answers, markdown: text })),
      ),
      isWaiting: model.isWaiting,
      isTyping: model.isTyping,
      older: model.before,
      isEarlierVersion: model.log.isEarlier,
      unread,
      conversation: conversations.current,
      conversations: conversations.items,
      hasListFailed: conversations.hasFailed,
      draft: draft.text,
      limits: model.limits,
    });
  }

  #readEntries(): readonly ChatEntry[] {
    const { log, ratings } = this.#chat.model;
    const known = this.#entries;
    this.#entries = new Map();
    return Object.freeze(
      log.entries.map((source) => {
        const { item, key } = source;
        const versions = item.type === "said" ? log.versionsOf(item.id) : undefined;
        const rating = ratings.get(item.id);
        const parts = [source, rating, versions?.shown, versions?.ids.length];
        const before = known.get(key);
        const isSame = before?.source.every((part, index) => part === parts[index]) === true;
        const entry = isSame ? before.entry : Object.freeze(entryOf(source, versions, rating));
        this.#entries.set(key, { source: parts, entry });
        return entry;
      }),
    );
  }

  #readPending(item: Outgoing): PendingMessage {
    const known = this.#pending.get(item);
    if (known !== undefined) return known;
    const { frame, attachments = [], failure } = item;
    const text = frame.type === "command" ? `/${frame.name} ${frame.args ?? ""}`.trimEnd() : frame.text;
    const pending = Object.freeze({ id: frame.id, text, attachments, failure });
    this.#pending.set(item, pending);
    return pending;
  }
}

/** A rating that waits shows in its reply. */
const isShown = ({ frame, failure }: Outgoing): boolean =>
  frame.type !== "command" || frame.name !== FEEDBACK || failure !== undefined;

const entryOf = (
  { key, item }: Entry,
  versions: Extract<ChatEntry, { type: "message" }>["versions"],
  rating: Extract<ChatEntry, { type: "reply" }>["rating"],
): ChatEntry => {
  if (item.type === "said") {
    const { id, text, command, replyTo, attachments = [], createdAt } = item;
    return { type: "message", key, id, text, command, replyTo, attachments, createdAt, versions };
  }
  const { id, kind, markdown, outcome, correlationId, anchor, actions = [], files = [], activity, createdAt } = item;
  const answered = { answers: correlationId, anchor, actions, files, activity, rating, createdAt };
  return { type: "reply", key, id, kind, markdown, outcome, ...answered };
};
