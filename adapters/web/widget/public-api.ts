import type { HostToken } from "./page/host-identity.ts";
import { Widget, type WidgetEvents } from "./widget.ts";
import type { WidgetOptions } from "./widget-options.ts";

type EventName = keyof WidgetEvents;
type Handler = (value?: number) => void;

/** What a page can tell the widget; `mooring("open")` calls `open()`. */
export class PublicApi {
  readonly #make: (events: WidgetEvents, token: HostToken | undefined) => Widget;
  readonly #handlers: Record<EventName, Set<Handler>> = { unread: new Set(), open: new Set(), close: new Set() };
  #widget: Widget | undefined;
  #token: HostToken | undefined;
  #unread = 0;

  constructor(script: string, options: WidgetOptions) {
    this.#make = (events, token) => new Widget(script, options, events, token);
    this.#token = options.token;
  }

  /** Puts the chat on the page, also after a shutdown. */
  start(): void {
    const events: WidgetEvents = {
      unread: (count) => this.#tell("unread", count),
      open: () => this.#tell("open"),
      close: () => this.#tell("close"),
    };
    this.#widget ??= this.#make(events, this.#token);
  }

  open(): void {
    this.#widget?.show(true);
  }

  close(): void {
    this.#widget?.show(false);
  }

  toggle(): void {
    this.#widget?.show(!this.#widget.isOpen);
  }

  send(text: unknown): void {
    if (typeof text === "string") this.#widget?.say(text);
  }

  /** Before the start: who it starts as. */
  identify(token?: HostToken): void {
    this.#token = token;
    this.#widget?.identify(token);
  }

  /** Takes the chat off the page and forgets who used it. */
  shutdown(): void {
    this.#widget?.remove();
    this.#widget = undefined;
    this.#token = undefined;
    this.#tell("unread", 0);
  }

  on(event: EventName, handle: Handler): void {
    this.#handlers[event]?.add(handle);
    if (event === "unread" && this.#unread > 0) handle(this.#unread);
  }

  off(event: EventName, handle: Handler): void {
    this.#handlers[event]?.delete(handle);
  }

  #tell(event: EventName, value?: number): void {
    if (event === "unread") this.#unread = value ?? 0;
    for (const handle of this.#handlers[event]) {
      try {
        handle(value);
      } catch (error) {
        // The page's own trouble, which must not become the chat's.
        console.error(error);
      }
    }
  }
}
