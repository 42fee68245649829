import { WebSocket } from "ws";
import type { ChatTransport } from "../client/chat-transport.ts";
import { PROTOCOL } from "../protocol-constants.ts";

/** A socket from a terminal, which is no page: it names the gateway's own address as its origin. */
export const socketTransport =
  (gateway: string, channel: string): ChatTransport =>
  (events) => {
    const { origin } = new URL(gateway);
    const address = `${gateway.replace(/^http/, "ws").replace(/\/$/, "")}/channels/${channel}/socket`;
    const socket = new WebSocket(address, PROTOCOL, { origin, handshakeTimeout: 10_000 });
    socket.on("open", () => events.opened());
    socket.on("message", (data) => events.received(String(data)));
    socket.on("close", (code) => events.closed(code));
    // A close follows, and says what is to be done.
    socket.on("error", () => undefined);
    return {
      send(text) {
        if (socket.readyState === WebSocket.OPEN) socket.send(text);
      },
      close: () => socket.close(),
    };
  };
