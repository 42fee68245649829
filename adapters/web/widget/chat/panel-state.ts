import type { Shown } from "../../client/transcript.ts";

/** Which message the next one answers. */
export interface Answering {
  readonly id: string;
  readonly about: string;
}

/** What of the widget is open and pointed at: nothing that the gateway knows of. */
export class PanelState {
  readonly #changed: () => void;
  isOpen = false;
  unread = 0;
  answering: Answering | undefined;
  /** The latest message that came while the chat was closed. */
  preview: Shown | undefined;
  /** The entry that somebody looks for; it is shown and pointed out once it is there. */
  soughtKey: string | undefined;
  /** What a screen reader is to say next. */
  announced = "";

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  set(changes: Partial<Pick<PanelState, (typeof SETTABLE)[number]>>): void {
    Object.assign(this, changes);
    this.#changed();
  }
}

const SETTABLE = ["isOpen", "unread", "answering", "preview", "soughtKey", "announced"] as const;
