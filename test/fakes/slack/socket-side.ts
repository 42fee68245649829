import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { WebSocketServer } from "ws";
import { Recorder } from "../recorder.ts";

export type SocketAnswer =
  | { readonly acknowledged: true; readonly payload: unknown }
  | { readonly acknowledged: false };

interface Pending {
  readonly frame: Record<string, unknown>;
  attempts: number;
  answered(answer: SocketAnswer): void;
}

/** Timeout of an acknowledgement; long enough for a busy machine. */
const ACKNOWLEDGE_TIMEOUT_MS = 10_000;

/** Slack's side of Socket Mode: tickets, hello, envelopes, and the redelivery of unacknowledged ones. */
export class SocketSide {
  /** The ticket of each socket that got a hello. */
  readonly greeted = new Recorder<string>();
  /** refusing: upgrades fail. silent: sends no hello. */
  behaviour: "normal" | "refusing" | "silent" = "normal";
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #tickets = new Set<string>();
  readonly #pending = new Map<string, Pending>();
  readonly #appId: string;
  #serial = 0;

  constructor(appId: string) {
    this.#appId = appId;
  }

  newTicket(): string {
    const ticket = `ticket-${++this.#serial}`;
    this.#tickets.add(ticket);
    return ticket;
  }

  get sockets(): readonly WebSocket[] {
    return [...this.#server.clients].filter((socket) => socket.readyState === socket.OPEN);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? "/", "http://localhost").searchParams.get("ticket") ?? "";
    if (this.behaviour === "refusing" || !this.#tickets.delete(ticket)) {
      socket.end("HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n");
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (client) => this.#greet(client, ticket));
  }

  /** Resolves on the acknowledgement or its timeout. The next socket redelivers an unacknowledged envelope. */
  send(type: "events_api" | "slash_commands" | "interactive", payload: object): Promise<SocketAnswer> {
    const id = `envelope-${++this.#serial}`;
    return new Promise((resolve) => {
      const timeout = setTimeout(() => resolve({ acknowledged: false }), ACKNOWLEDGE_TIMEOUT_MS);
      const pending: Pending = {
        frame: { envelope_id: id, type, payload, accepts_response_payload: type !== "events_api" },
        attempts: 0,
        answered(answer) {
          clearTimeout(timeout);
          resolve(answer);
        },
      };
      this.#pending.set(id, pending);
      const [socket] = this.sockets;
      if (socket === undefined) pending.answered({ acknowledged: false });
      else this.#offer(socket, pending);
    });
  }

  /** Sends an arbitrary frame to every socket. */
  sendRaw(frame: string): void {
    for (const socket of this.sockets) socket.send(frame);
  }

  /** Requests a reconnect, like Slack every few hours. */
  refresh(): void {
    this.sendRaw(JSON.stringify({ type: "disconnect", reason: "refresh_requested", debug_info: { host: "local" } }));
  }

  /** Ends all sockets without a close frame. */
  drop(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  close(): void {
    for (const { answered } of this.#pending.values()) answered({ acknowledged: false });
    this.drop();
    this.#server.close();
  }

  #greet(socket: WebSocket, ticket: string): void {
    socket.on("error", () => undefined);
    socket.on("message", (data) => this.#acknowledged(JSON.parse(String(data))));
    if (this.behaviour === "silent") return;
    const connection_info = { app_id: this.#appId };
    socket.send(JSON.stringify({ type: "hello", num_connections: 1, connection_info, debug_info: { host: "local" } }));
    this.greeted.add(ticket);
    for (const pending of this.#pending.values()) this.#offer(socket, pending);
  }

  #offer(socket: WebSocket, pending: Pending): void {
    const retry = pending.attempts === 0 ? {} : { retry_attempt: pending.attempts, retry_reason: "timeout" };
    pending.attempts++;
    socket.send(JSON.stringify({ ...pending.frame, ...retry }));
  }

  #acknowledged({ envelope_id, payload }: { envelope_id: string; payload?: unknown }): void {
    this.#pending.get(envelope_id)?.answered({ acknowledged: true, payload });
    this.#pending.delete(envelope_id);
  }
}
