import type { Activity } from "../../../core/contract/activity.ts";
import type { HistoryItem, ServerFrame } from "../protocol.ts";
import { ActivityView } from "./activity-view.ts";
import { element } from "./dom.ts";
import { drawAnchor } from "./draw-anchor.ts";
import { drawMarkdown } from "./draw-markdown.ts";
import { OrderedEntries } from "./ordered-entries.ts";
import type { Outgoing } from "./outgoing-queue.ts";
import { StreamedText } from "./streamed-text.ts";

type Shown = Exclude<HistoryItem, { type: "said" }>;
type Command = NonNullable<Extract<HistoryItem, { type: "said" }>["command"]>;

export interface TranscriptParts {
  readonly log: HTMLElement;
  readonly drafts: HTMLElement;
  act(name: string, args: string): void;
  /** The person wants to answer this message, which is about that. */
  answer(id: string, about: string): void;
}

/** What is on the screen: the conversation in the order of its log, then what is not in there yet. */
export class Transcript {
  readonly #parts: TranscriptParts;
  readonly #entries: OrderedEntries;
  readonly #activities = new Map<string, ActivityView>();
  readonly #drafts = new Map<string, { streamed: StreamedText; node: HTMLElement }>();
  /** A piece of text that comes after its reply is late. */
  readonly #answered = new Set<string>();
  #oldest: number | undefined;

  constructor(parts: TranscriptParts) {
    this.#parts = parts;
    this.#entries = new OrderedEntries(parts.log);
  }

  get oldest(): number | undefined {
    return this.#oldest;
  }

  clear(): void {
    for (const { node } of this.#drafts.values()) node.remove();
    this.#entries.clear();
    this.#drafts.clear();
    this.#activities.clear();
    this.#oldest = undefined;
  }

  /** Before the gateway has it. */
  addPending(frame: Outgoing): void {
    const command = frame.type === "command" ? { name: frame.name, args: frame.args ?? "" } : undefined;
    const node = this.#drawSaid(frame.type === "message" ? frame.text : `/${frame.name} ${frame.args ?? ""}`, command);
    node.classList.add("pending");
    this.#entries.place(`said:${frame.id}`, Number.POSITIVE_INFINITY, node);
  }

  markFailed(id: string, why: string): void {
    const node = this.#entries.find(`said:${id}`)?.node;
    node?.classList.replace("pending", "failed");
    node?.append(element("p", { class: "why" }, `Not sent: ${why}`));
  }

  addLogged(item: HistoryItem): void {
    this.#oldest = Math.min(this.#oldest ?? item.seq, item.seq);
    if (item.type === "said") {
      this.#entries.place(`said:${item.id}`, item.seq, this.#drawSaid(item.text, item.command));
      return;
    }
    if (item.correlationId !== undefined) this.#dropDraft(item.correlationId);
    const isEmpty = item.markdown.trim() === "" && !item.actions?.length && !item.activity;
    if (!isEmpty) this.#show(`reply:${item.id}`, item);
  }

  #show(key: string, item: Shown): void {
    const version = { seq: item.seq, revision: item.activity?.revision ?? 0 };
    if (this.#entries.isLatest(key, version)) this.#entries.place(key, item.seq, this.#draw(item), version);
    else this.#entries.moveUp(key, item.seq);
  }

  addGap(): void {
    this.#entries.place("gap", -1, element("p", { class: "note" }, "Earlier messages are no longer kept."));
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

  #drawSaid(text: string, command: Command | undefined): HTMLElement {
    if (command === undefined) return element("div", { class: "said", dir: "auto" }, text);
    const name = command.name === "cancel" ? this.#nameOf(command.args) : undefined;
    return element("div", { class: "said command", dir: "auto" }, name === undefined ? text : `Cancel “${name}”`);
  }

  #nameOf(itemId: string): string | undefined {
    for (const view of this.#activities.values()) {
      const name = view.nameOf(itemId);
      if (name !== undefined) return name;
    }
    return undefined;
  }

  #draw(item: Shown): HTMLElement {
    if (item.activity) return this.#drawActivity(item, item.activity);
    const isAside = item.kind === "progress" || item.kind === "completion";
    const node = element("div", { class: isAside ? "reply aside" : "reply", dir: "auto" });
    if (item.outcome === "failed") node.classList.add("failed");
    if (item.anchor) node.append(drawAnchor(item.anchor));
    node.append(...drawMarkdown(item.markdown));
    const buttons = (item.actions ?? []).map(({ name, label, value }) => {
      const button = element("button", { type: "button" }, label);
      button.addEventListener("click", () => this.#parts.act(name, value ?? ""));
      return button;
    });
    if (item.anchor) buttons.push(this.#answerButton(item.id, item.anchor.summary));
    if (buttons.length) node.append(element("div", { class: "actions" }, ...buttons));
    return node;
  }

  /** Work that began elsewhere goes on here by an answer to what came of it. */
  #answerButton(id: string, about: string): HTMLButtonElement {
    const button = element("button", { type: "button" }, "Answer");
    button.addEventListener("click", () => this.#parts.answer(id, about));
    return button;
  }

  #drawActivity({ id, anchor }: Shown, activity: Activity): HTMLElement {
    let view = this.#activities.get(id);
    if (view === undefined) {
      view = new ActivityView((itemId) => this.#parts.act("cancel", itemId));
      this.#activities.set(id, view);
    }
    view.update(activity, anchor);
    return view.node;
  }
}
