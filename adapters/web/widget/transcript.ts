import type { HistoryItem, ServerFrame } from "../protocol.ts";
import { element } from "./dom.ts";
import { drawAnchor } from "./draw-anchor.ts";
import { drawMarkdown } from "./draw-markdown.ts";
import type { Outgoing } from "./outgoing-queue.ts";
import { StreamedText } from "./streamed-text.ts";

type Shown = Exclude<HistoryItem, { type: "said" }>;

export interface TranscriptParts {
  readonly log: HTMLElement;
  readonly drafts: HTMLElement;
  act(name: string, args: string): void;
}

/** What is on the screen: the conversation in the order of its log, then what is not in there yet. */
export class Transcript {
  readonly #parts: TranscriptParts;
  readonly #items = new Map<string, { seq: number; node: HTMLElement }>();
  readonly #drafts = new Map<string, { streamed: StreamedText; node: HTMLElement }>();
  /** A piece of text that comes after its reply is late. */
  readonly #answered = new Set<string>();
  #oldest: number | undefined;

  constructor(parts: TranscriptParts) {
    this.#parts = parts;
  }

  get oldest(): number | undefined {
    return this.#oldest;
  }

  clear(): void {
    for (const { node } of [...this.#items.values(), ...this.#drafts.values()]) node.remove();
    this.#items.clear();
    this.#drafts.clear();
    this.#oldest = undefined;
  }

  /** Before the gateway has it. */
  addPending(frame: Outgoing): void {
    const text = frame.type === "message" ? frame.text : `/${frame.name} ${frame.args ?? ""}`;
    const node = element("div", { class: "said pending", dir: "auto" }, text);
    this.#place(`said:${frame.id}`, Number.POSITIVE_INFINITY, node);
  }

  markFailed(id: string, why: string): void {
    const node = this.#items.get(`said:${id}`)?.node;
    node?.classList.replace("pending", "failed");
    node?.append(element("p", { class: "why" }, `Not sent: ${why}`));
  }

  addLogged(item: HistoryItem): void {
    this.#oldest = Math.min(this.#oldest ?? item.seq, item.seq);
    if (item.type === "said") {
      this.#place(`said:${item.id}`, item.seq, element("div", { class: "said", dir: "auto" }, item.text));
      return;
    }
    const key = `reply:${item.id}`;
    const there = this.#items.get(key);
    if (item.type === "edit" && there && there.seq > item.seq) return;
    if (item.correlationId !== undefined) this.#dropDraft(item.correlationId);
    const isEmpty = item.markdown.trim() === "" && !item.actions?.length;
    if (!isEmpty) this.#place(key, item.type === "edit" ? (there?.seq ?? item.seq) : item.seq, this.#draw(item));
  }

  addGap(): void {
    this.#place("gap", -1, element("p", { class: "note" }, "Earlier messages are no longer kept."));
  }

  addDelta({ correlationId, ...delta }: Extract<ServerFrame, { type: "delta" }>): void {
    if (this.#answered.has(correlationId)) return;
    let draft = this.#drafts.get(correlationId);
    if (draft === undefined) {
      draft = { streamed: new StreamedText(), node: element("div", { class: "reply", dir: "auto" }) };
      this.#drafts.set(correlationId, draft);
      this.#parts.drafts.append(draft.node);
    }
    if (!draft.streamed.add(delta)) return;
    const { streamed, node } = draft;
    if (node.dataset.waits === "yes") return;
    node.dataset.waits = "yes";
    requestAnimationFrame(() => {
      delete node.dataset.waits;
      node.replaceChildren(...drawMarkdown(streamed.text));
    });
  }

  #dropDraft(correlationId: string): void {
    this.#answered.add(correlationId);
    this.#drafts.get(correlationId)?.node.remove();
    this.#drafts.delete(correlationId);
  }

  #draw(item: Shown): HTMLElement {
    const isActivity = item.kind === "progress" || item.kind === "completion";
    const node = element("div", { class: isActivity ? "reply activity" : "reply", dir: "auto" });
    if (item.outcome === "failed") node.classList.add("failed");
    if (item.anchor) node.append(drawAnchor(item.anchor));
    node.append(...drawMarkdown(item.markdown));
    const buttons = (item.actions ?? []).map(({ name, label, value }) => {
      const button = element("button", { type: "button" }, label);
      button.addEventListener("click", () => this.#parts.act(name, value ?? ""));
      return button;
    });
    if (buttons.length) node.append(element("div", { class: "actions" }, ...buttons));
    return node;
  }

  #place(key: string, seq: number, node: HTMLElement): void {
    this.#items.get(key)?.node.remove();
    this.#items.delete(key);
    let next: { seq: number; node: HTMLElement } | undefined;
    for (const item of this.#items.values()) if (item.seq > seq && (!next || item.seq < next.seq)) next = item;
    this.#parts.log.insertBefore(node, next?.node ?? null);
    this.#items.set(key, { seq, node });
  }
}
