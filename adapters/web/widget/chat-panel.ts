import { ACTIVITY_STYLE } from "./activity-style.ts";
import { AnswerBar } from "./answer-bar.ts";
import { element, icon } from "./dom.ts";
import { tickTimes } from "./draw-anchor.ts";
import { tickElapsed } from "./draw-elapsed.ts";
import { STYLE } from "./style.ts";

const CHAT = "M4 4h16a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H9l-5 4v-4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2z";
const CLOSE = "M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.6L6.4 19 5 17.6l5.6-5.6L5 6.4z";
const SEND = "M3 20.5v-7l10-1.5-10-1.5v-7L22 12z";

export interface PanelEvents {
  /** `replyTo`: the message that it answers, if the person chose one. */
  submit(text: string, replyTo?: string): void;
  older(): void;
  startOver(): void;
}

/** The parts of the widget that one sees, in a shadow tree of their own. */
export class ChatPanel {
  readonly log = element("div", { class: "log", role: "log", "aria-live": "polite", "aria-label": "Messages" });
  /** Outside the log: a screen reader hears a reply once, when it is whole. */
  readonly drafts = element("div", { class: "drafts", "aria-live": "off" });
  readonly #answering = new AnswerBar();
  readonly #events: PanelEvents;
  readonly #title = element("h2", { id: "title" }, "Chat");
  readonly #status = element("span", { class: "status", role: "status" });
  readonly #input = element("textarea", { rows: "1", "aria-label": "Your message", placeholder: "Write a message…" });
  readonly #older = element("button", { type: "button", class: "plain older", hidden: "" }, "Show earlier messages");
  readonly #startOver = element("button", { type: "button", class: "plain", hidden: "" }, "Start over");
  readonly #empty = element("p", { class: "empty" }, "Ask anything. Answers that take longer come back here.");
  readonly #typing = element("div", { class: "typing", hidden: "" }, element("i"), element("i"), element("i"));
  readonly #badge = element("span", { class: "badge", hidden: "" });
  readonly #launcher = element("button", { type: "button", class: "launcher", "aria-expanded": "false" });
  readonly #scroll = element("div", { class: "scroll" }, this.#older, this.#empty, this.log, this.drafts, this.#typing);
  readonly #panel = element("section", { class: "panel", role: "dialog", "aria-labelledby": "title", hidden: "" });
  #unread = 0;
  #typingEnds: ReturnType<typeof setTimeout> | undefined;

  constructor(events: PanelEvents) {
    this.#events = events;
    const close = element("button", { type: "button", class: "plain", "aria-label": "Close the chat" }, icon(CLOSE));
    const send = element("button", { type: "submit", class: "send", "aria-label": "Send" }, icon(SEND));
    const form = element("form", {}, this.#input, send);
    this.#panel.append(element("header", {}, this.#title, this.#status, this.#startOver, close));
    this.#panel.append(this.#scroll, this.#answering.node, form);
    this.#launcher.append(icon(CHAT), this.#badge);
    this.#label();
    this.#launcher.addEventListener("click", () => this.show(this.#panel.hasAttribute("hidden")));
    close.addEventListener("click", () => this.show(false));
    this.#older.addEventListener("click", () => this.#events.older());
    this.#startOver.addEventListener("click", () => this.#events.startOver());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#submit();
    });
    this.#panel.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.show(false);
    });
    setInterval(() => document.hidden || tickTimes(this.log), 30_000);
    setInterval(() => document.hidden || this.#panel.hidden || tickElapsed(this.log), 1_000);
  }

  mount(page: HTMLElement): void {
    const host = element("div", { "data-mooring": "" });
    const shadow = host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE + ACTIVITY_STYLE);
    shadow.adoptedStyleSheets = [sheet];
    shadow.append(this.#panel, this.#launcher);
    page.append(host);
  }

  show(isOpen: boolean): void {
    this.#panel.hidden = !isOpen;
    this.#launcher.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) {
      this.#unread = 0;
      tickTimes(this.log);
      tickElapsed(this.log);
      this.#scroll.scrollTop = this.#scroll.scrollHeight;
      this.#input.focus();
    } else {
      this.#launcher.focus();
    }
    this.#label();
  }

  setAgent(name: string): void {
    this.#title.textContent = name;
  }

  setStatus(text: string, canStartOver = false): void {
    this.#status.textContent = text;
    this.#startOver.hidden = !canStartOver;
  }

  setOlder(isThereMore: boolean): void {
    this.#older.hidden = !isThereMore;
  }

  /** What is written next answers this message. */
  answer(id: string, about: string): void {
    this.#answering.begin(id, about);
    this.#input.focus();
  }

  setTyping(isTyping: boolean): void {
    clearTimeout(this.#typingEnds);
    this.#typing.hidden = !isTyping;
    if (isTyping) this.#typingEnds = setTimeout(() => this.setTyping(false), 8_000);
  }

  countUnread(): void {
    if (this.#panel.hidden) this.#unread++;
    this.#label();
  }

  /** Changes what is shown, and stays at the end if it was there. */
  update(change: () => void): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroll;
    const wasAtEnd = scrollHeight - scrollTop - clientHeight < 60;
    change();
    this.#empty.hidden = this.log.childElementCount + this.drafts.childElementCount > 0;
    requestAnimationFrame(() => {
      if (wasAtEnd) this.#scroll.scrollTop = this.#scroll.scrollHeight;
    });
  }

  #submit(): void {
    const text = this.#input.value.trim();
    if (text === "") return;
    this.#input.value = "";
    this.#events.submit(text, this.#answering.take());
    this.#scroll.scrollTop = this.#scroll.scrollHeight;
  }

  #label(): void {
    const action = this.#panel.hidden ? "Open the chat" : "Close the chat";
    const unread = this.#unread > 0 ? `, ${this.#unread} unread` : "";
    this.#launcher.setAttribute("aria-label", action + unread);
    this.#badge.hidden = this.#unread === 0;
    this.#badge.textContent = this.#unread > 9 ? "9+" : String(this.#unread);
  }
}
