import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { WebSocket } from "ws";
import { WebSocketServer } from "ws";
import { Recorder } from "../recorder.ts";
import type { FakeMessage, World } from "./world.ts";
import { ChannelType } from "./world.ts";

const Op = { dispatch: 0, heartbeat: 1, identify: 2, resume: 6, reconnect: 7, invalid: 9, hello: 10, ack: 11 } as const;
const Intent = { guilds: 1 << 0, guildMessages: 1 << 9, directMessages: 1 << 12, content: 1 << 15 } as const;

interface Session {
  readonly id: string;
  readonly intents: number;
  readonly log: { readonly s: number; readonly t: string; readonly d: unknown }[];
  socket: WebSocket | undefined;
}

export type GatewayEvent = "connected" | "identified" | "resumed" | "resume refused" | "closed" | "turned away";

/** Discord's gateway: sessions that outlive their connection, numbered dispatches, heartbeats, close codes. */
export class FakeGateway {
  readonly events = new Recorder<GatewayEvent>();
  /** The payload of each IDENTIFY. */
  readonly identifies: { intents: number; shard: unknown }[] = [];
  heartbeatIntervalMs = 41_250;
  /** Fault switches. */
  saysHello = true;
  saysReady = true;
  acknowledgesHeartbeats = true;
  acceptsConnections = true;
  allowsMessageContent = true;
  /** Lets a test change the READY payload. */
  ready: (payload: object) => unknown = (payload) => payload;
  readonly #world: World;
  readonly #token: () => string;
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();
  url = "";

  constructor(world: World, token: () => string) {
    this.#world = world;
    this.#token = token;
  }

  attachTo(server: Server): void {
    server.on("upgrade", (request: IncomingMessage, socket, head) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
      const wellFormed = searchParams.get("v") === "10" && searchParams.get("encoding") === "json";
      if (!this.acceptsConnections || pathname !== "/gateway" || !wellFormed) {
        socket.destroy();
        this.events.add("turned away");
      } else this.#sockets.handleUpgrade(request, socket, head, (client) => this.#greet(client));
    });
  }

  get connections(): number {
    return this.#sockets.clients.size;
  }

  get live(): readonly Session[] {
    return [...this.#sessions.values()].filter(({ socket }) => socket !== undefined);
  }

  /** Sends an event to every session with these intents; a disconnected session gets it when it resumes. */
  dispatch(t: string, d: unknown, needs = 0): void {
    for (const session of this.#sessions.values()) {
      if ((session.intents & needs) !== needs) continue;
      const event = { s: session.log.length + 1, t, d };
      session.log.push(event);
      send(session.socket, { op: Op.dispatch, ...event });
    }
  }

  /** Sends a message to every session. Without the content intent, messages that do not concern the bot have no text. */
  dispatchMessage(message: FakeMessage): void {
    const channel_type = this.#world.channels.get(message.channel_id)?.type;
    const isPrivate = channel_type === ChannelType.private;
    const { pings: _, files: __, ...rest } = message;
    const data = { ...rest, channel_type };
    const { id: botId } = this.#world.bot;
    const concernsBot = isPrivate || message.author?.id === botId || message.mentions.some(({ id }) => id === botId);
    const hidden = { ...data, content: "", attachments: [], components: [] };
    for (const session of this.#sessions.values()) {
      const needs = isPrivate ? Intent.directMessages : Intent.guildMessages;
      if ((session.intents & needs) === 0) continue;
      const visible = concernsBot || (session.intents & Intent.content) !== 0;
      const event = { s: session.log.length + 1, t: "MESSAGE_CREATE", d: visible ? data : hidden };
      session.log.push(event);
      send(session.socket, { op: Op.dispatch, ...event });
    }
  }

  /** Ends all connections without a close frame. */
  drop(): void {
    for (const client of this.#sockets.clients) client.terminate();
  }

  close(code: number): void {
    if (code !== RESUMABLE_CLOSE) this.#sessions.clear();
    for (const client of this.#sockets.clients) client.close(code);
  }

  askToReconnect(): void {
    for (const { socket } of this.live) send(socket, { op: Op.reconnect, d: null });
  }

  /** Sends INVALID_SESSION; if it is not resumable, drops the sessions. */
  invalidate(resumable: boolean): void {
    const sockets = this.live.map(({ socket }) => socket);
    if (!resumable) this.#sessions.clear();
    for (const socket of sockets) send(socket, { op: Op.invalid, d: resumable });
  }

  forgetSessions(): void {
    this.#sessions.clear();
  }

  askForHeartbeat(): void {
    for (const { socket } of this.live) send(socket, { op: Op.heartbeat, d: null });
  }

  /** Sends arbitrary text to every connection. */
  sendRaw(text: string): void {
    for (const client of this.#sockets.clients) client.send(text);
  }

  async stop(): Promise<void> {
    this.drop();
    await new Promise((resolve) => this.#sockets.close(resolve));
  }

  #greet(socket: WebSocket): void {
    this.events.add("connected");
    let session: Session | undefined;
    socket.on("error", () => undefined);
    socket.on("close", (code) => {
      this.events.add("closed");
      if (session?.socket === socket) session.socket = undefined;
      // Discord ends the session of a client that closes with 1000 or 1001.
      if (session && (code === 1_000 || code === 1_001)) this.#sessions.delete(session.id);
    });
    socket.on("message", (bytes) => {
      const frame = parse(String(bytes));
      if (frame === undefined) return socket.close(4_002);
      const { op, d } = frame;
      if (op === Op.heartbeat) {
        if (this.acknowledgesHeartbeats) send(socket, { op: Op.ack });
      } else if (op === Op.identify && session) socket.close(4_005);
      else if (op === Op.identify)
        session = this.#identify(socket, d as { token: string; intents: number; shard: unknown });
      else if (op === Op.resume)
        session = this.#resume(socket, d as { token: string; session_id: string; seq: number });
      else socket.close(session ? 4_001 : 4_003);
    });
    if (this.saysHello) send(socket, { op: Op.hello, d: { heartbeat_interval: this.heartbeatIntervalMs } });
  }

  #identify(socket: WebSocket, d: { token: string; intents: number; shard: unknown }): Session | undefined {
    this.identifies.push({ intents: d.intents, shard: d.shard });
    if (d.token !== this.#token()) return void socket.close(4_004);
    if ((d.intents & Intent.content) !== 0 && !this.allowsMessageContent) return void socket.close(4_014);
    const session: Session = { id: randomUUID(), intents: d.intents, log: [], socket };
    this.#sessions.set(session.id, session);
    if (!this.saysReady) return session;
    const { bot, applicationId, guilds, channels } = this.#world;
    const ready = this.ready({
      v: 10,
      user: bot,
      guilds: [...guilds.keys()].map((id) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: this.url,
      application: { id: applicationId, flags: 0 },
      shard: d.shard,
    });
    session.log.push({ s: 1, t: "READY", d: ready });
    send(socket, { op: Op.dispatch, s: 1, t: "READY", d: ready });
    for (const { id, name } of guilds.values()) {
      const inGuild = [...channels.values()].filter(({ guild_id }) => guild_id === id);
      const event = {
        s: session.log.length + 1,
        t: "GUILD_CREATE",
        d: {
          id,
          name,
          channels: inGuild.filter(({ type }) => !isThread(type)),
          threads: inGuild.filter(({ type }) => isThread(type)),
        },
      };
      session.log.push(event);
      send(socket, { op: Op.dispatch, ...event });
    }
    this.events.add("identified");
    return session;
  }

  #resume(socket: WebSocket, d: { token: string; session_id: string; seq: number }): Session | undefined {
    if (d.token !== this.#token()) return void socket.close(4_004);
    const session = this.#sessions.get(d.session_id);
    if (session === undefined) {
      this.events.add("resume refused");
      send(socket, { op: Op.invalid, d: false });
      return undefined;
    }
    session.socket = socket;
    for (const event of session.log.slice(d.seq)) send(socket, { op: Op.dispatch, ...event });
    const event = { s: session.log.length + 1, t: "RESUMED", d: {} };
    session.log.push(event);
    send(socket, { op: Op.dispatch, ...event });
    this.events.add("resumed");
    return session;
  }
}

const RESUMABLE_CLOSE = 4_000;

const send = (socket: WebSocket | undefined, frame: object): void => {
  if (socket?.readyState === socket?.OPEN) socket?.send(JSON.stringify({ s: null, t: null, ...frame }));
};

const parse = (text: string): { op: number; d: unknown } | undefined => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isThread = (type: number): boolean => type === ChannelType.thread || type === ChannelType.privateThread;
