import {
  type ConversationInfo,
  type ConversationRequests,
  MAIN_CONVERSATION,
} from "../../client/conversation-requests.ts";
import type { PersistentValues } from "../../client/persistent-values.ts";

export interface ConversationsDeps {
  readonly requests: ConversationRequests;
  readonly values: PersistentValues;
  /** Follows another conversation. */
  enter(id: string): void;
  changed(): void;
}

/** The visitor's conversations as the page knows them, and the one that is shown. */
export class Conversations {
  readonly #deps: ConversationsDeps;
  /** Undefined until it is loaded. */
  items: readonly ConversationInfo[] | undefined;
  hasFailed = false;
  current = MAIN_CONVERSATION;

  constructor(deps: ConversationsDeps) {
    this.#deps = deps;
  }

  /** Enters the conversation that the previous page showed. */
  resume(): void {
    this.enter(this.#deps.values.get("conversation") ?? MAIN_CONVERSATION);
  }

  /** Whether a conversation that is not shown has unread messages. */
  get hasUnread(): boolean {
    return this.items?.some(({ id, unread }) => unread && id !== this.current) === true;
  }

  /** Most visitors have one conversation, so that the list is loaded only if it is used. */
  get isUsed(): boolean {
    return this.items !== undefined || this.current !== MAIN_CONVERSATION;
  }

  welcomed(id = MAIN_CONVERSATION): void {
    this.current = id;
    this.#deps.values.set("conversation", id === MAIN_CONVERSATION ? undefined : id);
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
    this.current = id;
    this.#deps.enter(id);
  }

  /** Enters a new conversation; a request that fails leaves the shown one. */
  async start(): Promise<void> {
    await this.#change(async ({ requests }) => this.enter((await requests.start()).id));
  }

  rename(id: string, title: string): Promise<void> {
    return this.#change(({ requests }) => requests.rename(id, title));
  }

  delete(id: string): Promise<void> {
    return this.#change(async ({ requests, enter }) => {
      await requests.delete(id);
      if (id !== this.current) return;
      this.current = MAIN_CONVERSATION;
      enter(MAIN_CONVERSATION);
    });
  }

  markRead(seq: number): void {
    if (this.isUsed) this.#deps.requests.markRead(this.current, seq).catch(() => undefined);
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
