import type { ActivityItem, ActivityState } from "../../../core/contract/activity.ts";
import { element } from "./dom.ts";
import { drawElapsed } from "./draw-elapsed.ts";

const STATES: Record<ActivityState, { word: string; mark: string }> = {
  pending: { word: "waiting", mark: "○" },
  running: { word: "running", mark: "●" },
  completed: { word: "done", mark: "✓" },
  failed: { word: "failed", mark: "✗" },
  cancelled: { word: "cancelled", mark: "–" },
};

/** One piece of delegated work: its state, how long it takes, what it says, and a button that cancels it. */
export class ActivityItemView {
  readonly node = element("li");
  readonly #facts = element("div", { class: "facts" });
  readonly #told = element("p", { class: "told", dir: "auto" });
  readonly #cancel = element("button", { type: "button", class: "cancel" }, "Cancel");
  #asked: ReturnType<typeof setTimeout> | undefined;

  constructor(cancel: () => void) {
    this.node.append(this.#facts, this.#cancel, this.#told);
    this.#cancel.addEventListener("click", () => {
      if (this.#asked !== undefined) return;
      cancel();
      this.#setAsked(true);
    });
  }

  /** The button that has gone, if it had the focus: somebody else must take it. */
  update({ name, state, startedAt, endedAt, note, result }: ActivityItem): { lostFocus: boolean } {
    const { word, mark } = STATES[state];
    const elapsed = startedAt === undefined ? [] : [" · ", drawElapsed(startedAt, endedAt)];
    this.node.className = state;
    this.#facts.replaceChildren(
      element("span", { class: "mark", "aria-hidden": "true" }, mark),
      element("span", { class: "name", dir: "auto" }, name),
      " ",
      element("span", { class: "state" }, word, ...elapsed),
    );
    const told = result ?? note ?? "";
    this.#told.textContent = told;
    this.#told.hidden = told === "";
    this.#cancel.setAttribute("aria-label", `Cancel ${name}`);
    const hadFocus = this.#hasFocus();
    this.#cancel.hidden = state !== "pending" && state !== "running";
    if (this.#cancel.hidden) this.#setAsked(false);
    return { lostFocus: hadFocus && this.#cancel.hidden };
  }

  /** Not disabled, which would take the focus away. It may be tried again if nothing comes of it. */
  #setAsked(isAsked: boolean): void {
    clearTimeout(this.#asked);
    this.#asked = isAsked ? setTimeout(() => this.#setAsked(false), TRY_AGAIN_MS) : undefined;
    this.#cancel.textContent = isAsked ? "Cancelling…" : "Cancel";
    this.#cancel.setAttribute("aria-disabled", String(isAsked));
  }

  #hasFocus(): boolean {
    const root = this.#cancel.getRootNode();
    return root instanceof ShadowRoot && root.activeElement === this.#cancel;
  }
}

const TRY_AGAIN_MS = 15_000;
