import type { HostToken } from "../client/host-identity.ts";
import { Widget, type WidgetEvents } from "./widget.ts";
import type { WidgetOptions } from "./widget-options.ts";

type EventName = keyof WidgetEvents;
type Handler = (value?: number) => void;

/** Methods that a page can call; `mooring("open")` calls `open()`. */
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

  /** Adds the chat to the page, also after a shutdown. */
  start(): void {
    const events: WidgetEvents = {
      unread: (count) => this.#emit("unread", count),
      open: () => this.#emit("open"),
      close: () => this.#emit("close"),
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
    if (typeof text === "string") this.#widget?.send(text);
  }

  /** Before `start`, sets the initial visitor. */
  identify(token?: HostToken): void {
    this.#token = token;
    this.#widget?.identify(token);
  }

  /** Removes the chat from the page and deletes the visitor's data. */
  shutdown(): void {
    this.#widget?.remove();
    this.#widget = undefined;
    this.#token = undefined;
    this.#emit("unread", 0);
  }

  on(event: EventName, handle: Handler): void {
    this.#handlers[event]?.add(handle);
    if (event === "unread" && this.#unread > 0) handle(this.#unread);
  }

  off(event: EventName, handle: Handler): void {
    this.#handlers[event]?.delete(handle);
  }

  #emit(event: EventName, value?: number): void {
    if (event === "unread") this.#unread = value ?? 0;
    for (const handle of this.#handlers[event]) {
      try {
        handle(value);
      } catch (error) {
        // An error in the page's handler must not break the chat.
        console.error(error);
      }
    }
  }
}
