import type { PersistentValues } from "../../client/persistent-values.ts";

/** The unsent text of the composer. It survives a reload and the end of the tab; another visitor does not see it. */
export class DraftText {
  readonly #values: PersistentValues;
  #text = "";
  /** Undefined until the gateway has named the visitor. */
  visitor: string | undefined;

  constructor(values: PersistentValues) {
    this.#values = values;
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
    this.#store();
  }

  /** Loads the stored draft of this visitor, unless the person has begun another one. */
  enter(visitor: string): void {
    if (visitor === this.visitor) return;
    this.visitor = visitor;
    const stored = this.#values.get("draft") ?? "";
    const owner = `${encodeURIComponent(visitor)} `;
    if (this.#text === "" && stored.startsWith(owner)) this.#text = stored.slice(owner.length);
    else if (this.#text !== "") this.#store();
  }

  #store(): void {
    if (this.visitor === undefined) return;
    this.#values.set("draft", this.#text === "" ? undefined : `${encodeURIComponent(this.visitor)} ${this.#text}`);
  }
}
