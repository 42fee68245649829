import { element } from "./dom.ts";

/** Says which message the next one answers, until it is sent or the person thinks better of it. */
export class AnswerBar {
  readonly node = element("div", { class: "answering", hidden: "" });
  readonly #about = element("span", { dir: "auto" });
  #id: string | undefined;

  constructor() {
    const off = element("button", { type: "button", class: "plain", "aria-label": "Do not answer it" }, "✕");
    off.addEventListener("click", () => this.#set(undefined, ""));
    this.node.append(this.#about, off);
  }

  begin(id: string, about: string): void {
    this.#set(id, `Answering “${about}”`);
  }

  /** The message that is answered now; from then on none is. */
  take(): string | undefined {
    const id = this.#id;
    this.#set(undefined, "");
    return id;
  }

  #set(id: string | undefined, text: string): void {
    this.#id = id;
    this.#about.textContent = text;
    this.node.hidden = id === undefined;
  }
}
