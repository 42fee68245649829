import { PROTOCOL } from "../protocol-constants.ts";
import type { ChatTransport } from "./chat-transport.ts";

/** The used subset of the browser's WebSocket; packages for Node have it too. */
export interface WebSocketLike {
  readonly readyState: number;
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number }) => void) | null;
  onerror: (() => void) | null;
  send(text: string): void;
  close(): void;
}

/** The class WebSocket of the browser or of a package. */
export type WebSocketClass = new (url: string, protocol: string) => unknown;

/** `refused` is called if a socket ends before it has opened. */
export const webSocketTransport =
  (Socket: WebSocketClass, url: string, refused: () => void): ChatTransport =>
  (events) => {
    const socket = new Socket(url, PROTOCOL) as WebSocketLike;
    let hasOpened = false;
    socket.onopen = () => {
      hasOpened = true;
      events.opened();
    };
    socket.onmessage = ({ data }) => events.received(String(data));
    // The close event follows and is handled.
    socket.onerror = () => undefined;
    socket.onclose = ({ code }) => {
      if (!hasOpened) refused();
      events.closed(code);
    };
    return {
      send(text) {
        if (socket.readyState === OPEN) socket.send(text);
      },
      close: () => socket.close(),
    };
  };

const OPEN = 1;
