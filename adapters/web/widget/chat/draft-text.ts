import type { PersistentValues } from "../../client/persistent-values.ts";

/** The unsent text of the composer. It survives a reload and the end of the tab. */
export class DraftText {
  readonly #values: PersistentValues;

  constructor(values: PersistentValues) {
    this.#values = values;
  }

  get text(): string {
    return this.#values.get("draft") ?? "";
  }

  set text(text: string) {
    this.#values.set("draft", text === "" ? undefined : text);
  }
}
