import type { ChatTransport } from "../../client/chat-transport.ts";
import { PROTOCOL } from "../../protocol-constants.ts";

export const browserTransport =
  (url: string): ChatTransport =>
  (events) => {
    const socket = new WebSocket(url, PROTOCOL);
    socket.onopen = () => events.opened();
    socket.onmessage = ({ data }) => events.received(String(data));
    socket.onclose = ({ code }) => events.closed(code);
    return {
      send(text) {
        if (socket.readyState === WebSocket.OPEN) socket.send(text);
      },
      close: () => socket.close(),
    };
  };
