import {
  type ConversationInfo,
  type ConversationRequests,
  MAIN_CONVERSATION,
  NEW_CONVERSATION,
  type StartedConversation,
} from "../conversation-requests.ts";
import type { PersistentValues } from "../persistent-values.ts";

export interface ConversationsDeps {
  readonly requests: ConversationRequests;
  readonly values: PersistentValues;
  /** Follows another conversation. */
  enter(id: string): void;
  /** The current conversation is another one. */
  shown(id: string): void;
  deleted(id: string): void;
  changed(): void;
}

/** The visitor's conversations as the page knows them, and the one that is shown. */
export class Conversations {
  readonly #deps: ConversationsDeps;
  /** Undefined until it is loaded. */
  items: readonly ConversationInfo[] | undefined;
  hasFailed = false;
  /** The list is shown, so that it is loaded with each connection. */
  isWanted = false;
  current = MAIN_CONVERSATION;

  constructor(deps: ConversationsDeps) {
    this.#deps = deps;
  }

  /** Enters the conversation that the previous page showed. */
  resume(): void {
    this.enter(this.#deps.values.get("conversation") ?? MAIN_CONVERSATION);
  }

  /** Another visitor comes. */
  reset(): void {
    this.items = undefined;
    this.hasFailed = false;
    this.#show(MAIN_CONVERSATION);
  }

  /** Whether a conversation that is not shown has unread messages. */
  get hasUnread(): boolean {
    return this.items?.some(({ id, unread }) => unread && id !== this.current) === true;
  }

  /** Most visitors have one conversation, so that the list is loaded only if it is used. */
  get isUsed(): boolean {
    return this.isWanted || this.items !== undefined || this.current !== MAIN_CONVERSATION;
  }

  welcomed(id = MAIN_CONVERSATION): void {
    this.#show(id);
    if (this.isUsed) void this.load();
  }

  async load(): Promise<void> {
    try {
      this.items = await this.#deps.requests.list();
      this.hasFailed = false;
    } catch {
      this.hasFailed = true;
    }
    this.#deps.changed();
  }

  enter(id: string): void {
    if (id === this.current) return;
    this.#show(id);
    this.#deps.enter(id);
  }

  /** Enters a new conversation at once, also without a connection: the gateway starts it before the next one opens. */
  start(): void {
    this.enter(NEW_CONVERSATION);
  }

  /** Rejects if a retry may succeed; a visitor without a token is new, and has an unused conversation. */
  async requestStart(token: string | undefined): Promise<StartedConversation> {
    if (token === undefined) return { id: MAIN_CONVERSATION };
    const started = await this.#deps.requests.start(token);
    if (started.refusal !== undefined && this.current === NEW_CONVERSATION) {
      this.hasFailed = true;
      this.#show(MAIN_CONVERSATION);
    }
    return started;
  }

  rename(id: string, title: string): Promise<void> {
    return this.#change(({ requests }) => requests.rename(id, title));
  }

  delete(id: string): Promise<void> {
    return this.#change(async ({ requests, enter, deleted }) => {
      await requests.delete(id);
      deleted(id);
      if (id !== this.current) return;
      this.#show(MAIN_CONVERSATION);
      enter(MAIN_CONVERSATION);
    });
  }

  markRead(seq: number): void {
    if (this.isUsed) this.#deps.requests.markRead(this.current, seq).catch(() => undefined);
  }

  #show(id: string): void {
    this.current = id;
    this.#deps.shown(id);
    this.#deps.values.set("conversation", id === MAIN_CONVERSATION ? undefined : id);
  }

  async #change(change: (deps: ConversationsDeps) => Promise<void>): Promise<void> {
    try {
      await change(this.#deps);
    } catch {
      this.hasFailed = true;
    }
    await this.load();
  }
}
