import { MAIN_CONVERSATION } from "../conversation-requests.ts";
import type { PersistentValues } from "../persistent-values.ts";

type Texts = Readonly<Record<string, string>>;

/**
 * The unsent text of the composer in each conversation. It survives a reload and the end of the tab; another visitor does
 * not see it.
 */
export class DraftText {
  readonly #values: PersistentValues;
  /** By conversation. */
  #texts: Texts = {};
  /** Undefined until the gateway has named the visitor. */
  #visitor: string | undefined;
  #conversation = MAIN_CONVERSATION;

  constructor(values: PersistentValues) {
    this.#values = values;
  }

  get text(): string {
    return this.#texts[this.#conversation] ?? "";
  }

  set text(text: string) {
    this.put(this.#conversation, text);
  }

  /** Changes when another draft is to be shown. */
  get place(): string {
    return `${this.#visitor} ${this.#conversation}`;
  }

  enter(conversation: string, visitor = this.#visitor): void {
    this.#conversation = conversation;
    if (visitor === this.#visitor) return;
    const isUnowned = this.#visitor === undefined;
    this.#visitor = visitor;
    // Text that was written before the gateway named the visitor is theirs.
    const { text } = this;
    this.#texts = { ...this.#stored(), ...(isUnowned && this.#texts) };
    if (isUnowned && text !== "") this.text = text;
  }

  put(conversation: string, text: string): void {
    const changed = { [conversation]: text };
    this.#texts = { ...this.#texts, ...changed };
    // Other tabs may have stored drafts of other conversations since.
    this.#store({ ...this.#stored(), ...changed });
  }

  /** The gateway has started the conversation that the draft was written for. */
  move(from: string, to: string): void {
    const { [from]: text = "" } = this.#texts;
    if (text === "") return;
    this.put(to, text);
    this.put(from, "");
  }

  /** Deletes the drafts of all conversations. */
  clear(): void {
    this.#texts = {};
    this.#visitor = undefined;
    this.#values.set("draft", undefined);
  }

  #stored(): Texts {
    const stored = this.#values.get("draft") ?? "";
    const owner = this.#owner;
    return owner !== undefined && stored.startsWith(owner) ? textsIn(stored.slice(owner.length)) : {};
  }

  #store(texts: Texts): void {
    const kept = Object.entries(texts).filter(([, text]) => text !== "");
    if (this.#owner !== undefined)
      this.#values.set("draft", kept.length === 0 ? undefined : this.#owner + JSON.stringify(Object.fromEntries(kept)));
  }

  get #owner(): string | undefined {
    return this.#visitor && `${encodeURIComponent(this.#visitor)} `;
  }
}

/** Version 0.2.0 stored one text, without a conversation. */
const textsIn = (stored: string): Texts => {
  try {
    if (stored.startsWith("{")) return JSON.parse(stored);
  } catch {
    // A text that begins like an object.
  }
  return { [MAIN_CONVERSATION]: stored };
};
