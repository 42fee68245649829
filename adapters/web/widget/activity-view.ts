import type { Activity, ActivityItem } from "../../../core/contract/activity.ts";
import type { Anchor } from "../../../core/contract/anchor.ts";
import { ActivityItemView } from "./activity-item-view.ts";
import { element, icon } from "./dom.ts";
import { drawAnchor } from "./draw-anchor.ts";
import { drawElapsed } from "./draw-elapsed.ts";

const CHEVRON = "M9.3 6.3 15 12l-5.7 5.7-1.4-1.4 4.3-4.3-4.3-4.3z";
let made = 0;

/**
 * Delegated work: one line, which opens to a list. The nodes stay when its state changes, so that focus, and what is
 * open, do too. Screen readers are not told of each change, only what is in focus.
 */
export class ActivityView {
  readonly node = element("div", { class: "activity", "aria-live": "off" });
  readonly #cancel: (id: string) => void;
  readonly #anchor = element("div");
  readonly #title = element("span", { class: "title", dir: "auto" });
  readonly #count = element("span");
  readonly #elapsed = element("span", { "aria-hidden": "true" });
  readonly #toggle = element("button", { type: "button", class: "toggle", "aria-expanded": "false" });
  readonly #list = element("ul", { hidden: "", id: `activity-${++made}` });
  readonly #items = new Map<string, ActivityItemView>();
  #activity: Activity | undefined;

  constructor(cancel: (id: string) => void) {
    this.#cancel = cancel;
    this.#toggle.setAttribute("aria-controls", this.#list.id);
    const progress = element("span", { class: "progress" }, this.#count, this.#elapsed);
    this.#toggle.append(icon(CHEVRON), element("span", { class: "lines" }, this.#title, " ", progress));
    this.#toggle.addEventListener("click", () => this.#open(this.#list.hasAttribute("hidden")));
    this.node.append(this.#anchor, this.#toggle, this.#list);
  }

  nameOf(itemId: string): string | undefined {
    return this.#activity?.items.find(({ id }) => id === itemId)?.name;
  }

  update(activity: Activity, anchor: Anchor | undefined): void {
    const { title, items } = activity;
    this.#activity = activity;
    this.#anchor.replaceChildren(...(anchor ? [drawAnchor(anchor)] : []));
    const failed = items.filter(({ state }) => state === "failed").length;
    const ended = items.filter(hasEnded).length;
    this.node.classList.toggle("busy", ended < items.length);
    this.#title.textContent = title;
    this.#count.textContent = `${ended} of ${items.length} done${failed > 0 ? `, ${failed} failed` : ""}`;
    this.#elapsed.replaceChildren(...totalOf(items));
    for (const item of items) this.#updateItem(item);
  }

  #updateItem(item: ActivityItem): void {
    let view = this.#items.get(item.id);
    if (view === undefined) {
      view = new ActivityItemView(() => this.#cancel(item.id));
      this.#items.set(item.id, view);
      this.#list.append(view.node);
    }
    if (view.update(item).lostFocus) this.#toggle.focus();
  }

  #open(isOpen: boolean): void {
    this.#list.hidden = !isOpen;
    this.#toggle.setAttribute("aria-expanded", String(isOpen));
  }
}

const hasEnded = ({ state }: ActivityItem): boolean => state !== "pending" && state !== "running";

/** From the first start to the last end, or to now. */
const totalOf = (items: readonly ActivityItem[]): (Node | string)[] => {
  const [first] = items.flatMap(({ startedAt }) => startedAt ?? []).sort();
  const last = items
    .flatMap(({ endedAt }) => endedAt ?? [])
    .sort()
    .at(-1);
  return first === undefined ? [] : [" · ", drawElapsed(first, items.every(hasEnded) ? (last ?? first) : undefined)];
};
