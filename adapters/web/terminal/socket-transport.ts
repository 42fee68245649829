import { WebSocket } from "ws";
import type { ChatTransport } from "../client/chat-transport.ts";
import { PROTOCOL } from "../protocol-constants.ts";

/** In the words of browsers, from which the gateway makes the name of the device. */
const SYSTEMS: Readonly<Record<string, string>> = { darwin: "Mac OS X", linux: "Linux", win32: "Windows" };
const USER_AGENT = `mooring-chat (${SYSTEMS[process.platform] ?? process.platform})`;

/**
 * A socket from a terminal, which has no page: it sends the gateway's own address as its origin. `onUnknownChannel` is
 * called for HTTP 404: the gateway runs, and reconnecting does not help. Gateways that start or drain send a 503.
 */
export const socketTransport =
  (gateway: string, channel: string, onUnknownChannel: () => void): ChatTransport =>
  (events) => {
    const { origin } = new URL(gateway);
    const address = `${gateway.replace(/^http/, "ws").replace(/\/$/, "")}/channels/${channel}/socket`;
    const headers = { "user-agent": USER_AGENT };
    const socket = new WebSocket(address, PROTOCOL, { origin, headers, handshakeTimeout: 10_000 });
    socket.on("open", () => events.opened());
    socket.on("message", (data) => events.received(String(data)));
    socket.on("close", (code) => events.closed(code));
    socket.on("unexpected-response", (_, response) => {
      if (response.statusCode === 404) onUnknownChannel();
      socket.terminate();
    });
    // The close event follows and is handled.
    socket.on("error", () => undefined);
    return {
      send(text) {
        if (socket.readyState === WebSocket.OPEN) socket.send(text);
      },
      close: () => socket.close(),
    };
  };
