import type { Said, Shown } from "../../client/transcript.ts";

/** The message to which the next one replies. */
export interface Answering {
  readonly id: string;
  readonly about: string;
}

/** Local state of the widget, unknown to the gateway. */
export class PanelState {
  readonly #changed: () => void;
  isOpen = false;
  /** The list of conversations is shown instead of the messages. */
  isListing = false;
  unread = 0;
  answering: Answering | undefined;
  /** The own message that the next one replaces. */
  editing: Said | undefined;
  /** The reply whose rating the person comments on. */
  commentOn: string | undefined;
  /** The latest message that arrived while the chat was closed. */
  preview: Shown | undefined;
  /** The entry to scroll to and highlight once it is loaded. */
  highlightedKey: string | undefined;
  /** The next text for screen readers. */
  announced = "";

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  set(changes: Partial<Pick<PanelState, (typeof SETTABLE)[number]>>): void {
    Object.assign(this, changes);
    this.#changed();
  }
}

const SETTABLE = [
  "isOpen",
  "isListing",
  "unread",
  "answering",
  "editing",
  "commentOn",
  "preview",
  "highlightedKey",
  "announced",
] as const;
