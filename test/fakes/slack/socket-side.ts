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

/** An envelope that nobody has acknowledged by then counts as not acknowledged; a busy machine is still quicker. */
const PATIENCE_MS = 10_000;

/** Slack's end of Socket Mode: tickets, hello, envelopes, and those that nobody acknowledged again on the next socket. */
export class SocketSide {
  /** One entry for each socket that was greeted. */
  readonly greeted = new Recorder<string>();
  /** Upgrades are refused, or nobody says hello. */
  manners: "good" | "refusing" | "silent" = "good";
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
    if (this.manners === "refusing" || !this.#tickets.delete(ticket)) {
      socket.end("HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n");
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (client) => this.#greet(client, ticket));
  }

  /** Resolves when it is acknowledged, or when nobody did in time; it then comes again on the next socket. */
  send(type: "events_api" | "slash_commands" | "interactive", payload: object): Promise<SocketAnswer> {
    const id = `envelope-${++this.#serial}`;
    return new Promise((resolve) => {
      const patience = setTimeout(() => resolve({ acknowledged: false }), PATIENCE_MS);
      const pending: Pending = {
        frame: { envelope_id: id, type, payload, accepts_response_payload: type !== "events_api" },
        attempts: 0,
        answered(answer) {
          clearTimeout(patience);
          resolve(answer);
        },
      };
      this.#pending.set(id, pending);
      const [socket] = this.sockets;
      if (socket === undefined) pending.answered({ acknowledged: false });
      else this.#offer(socket, pending);
    });
  }

  /** A frame as it is, whatever Slack would think of it. */
  sendRaw(frame: string): void {
    for (const socket of this.sockets) socket.send(frame);
  }

  /** As Slack does every few hours. */
  refresh(): void {
    this.sendRaw(JSON.stringify({ type: "disconnect", reason: "refresh_requested", debug_info: { host: "local" } }));
  }

  /** Without a goodbye. */
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
    if (this.manners === "silent") return;
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
