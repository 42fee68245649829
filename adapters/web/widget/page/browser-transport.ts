import type { ChatTransport } from "../../client/chat-transport.ts";
import { PROTOCOL } from "../../protocol-constants.ts";

/** `refused` is called if a socket ends before it has opened. */
export const browserTransport =
  (url: string, refused: () => void): ChatTransport =>
  (events) => {
    const socket = new WebSocket(url, PROTOCOL);
    let hasOpened = false;
    socket.onopen = () => {
      hasOpened = true;
      events.opened();
    };
    socket.onmessage = ({ data }) => events.received(String(data));
    socket.onclose = ({ code }) => {
      if (!hasOpened) refused();
      events.closed(code);
    };
    return {
      send(text) {
        if (socket.readyState === WebSocket.OPEN) socket.send(text);
      },
      close: () => socket.close(),
    };
  };
