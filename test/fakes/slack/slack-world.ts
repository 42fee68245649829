import { Recorder } from "../recorder.ts";

export interface SlackUser {
  readonly id: string;
  readonly name: string;
  readonly team?: string;
  readonly locale?: string;
}

export interface SlackRoom {
  readonly id: string;
  readonly kind: "im" | "mpim" | "channel";
  readonly members: Set<string>;
  archived?: boolean;
  /** Shared with other workspaces (Slack Connect). */
  isShared?: boolean;
}

export interface SlackMessage {
  readonly room: string;
  readonly ts: string;
  readonly thread?: string;
  readonly user: string;
  text: string;
  blocks: readonly Block[];
  attachments: readonly { readonly blocks?: readonly Block[] }[];
  readonly metadata?: unknown;
  /** Slack notifies the people whom it mentions. */
  pings?: boolean;
  /** The bot's reactions. */
  reactions?: string[];
  /** Only this user sees it. */
  readonly onlyFor?: string;
}

export interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface SlackFile {
  readonly id: string;
  readonly name: string;
  readonly mimetype: string;
  readonly content: Buffer;
}

/** The data of a workspace: users, rooms, files and messages. */
export class SlackWorld {
  readonly teamId = "T0MOORING";
  readonly appId = "A0MOORING";
  readonly botUserId = "U0BOT";
  readonly botId = "B0BOT";
  readonly users = new Map<string, SlackUser>();
  readonly rooms = new Map<string, SlackRoom>();
  readonly files = new Map<string, SlackFile>();
  /** All messages of people and the bot that have not been deleted. */
  readonly messages: SlackMessage[] = [];
  readonly statuses = new Recorder<{ room: string; thread: string; status: string }>();
  readonly reacted = new Recorder<{
    room: string;
    thread: string | undefined;
    ts: string;
    name: string;
    isRemoved?: boolean;
  }>();
  #lastTs = 0;
  #frozenAt: number | undefined;

  constructor() {
    for (const name of ["ann", "bob"]) this.addUser({ id: `U0${name.toUpperCase()}`, name });
    this.addRoom("C0LOBBY", "channel");
    this.addRoom("C0ELSEWHERE", "channel").members.delete(this.botUserId);
    this.addRoom("G0GROUP", "mpim");
  }

  addUser(user: SlackUser): void {
    this.users.set(user.id, user);
    this.rooms.set(this.directRoomOf(user.id), {
      id: this.directRoomOf(user.id),
      kind: "im",
      members: new Set([user.id, this.botUserId]),
    });
  }

  addRoom(id: string, kind: SlackRoom["kind"]): SlackRoom {
    const room: SlackRoom = { id, kind, members: new Set([...this.users.keys(), this.botUserId]) };
    this.rooms.set(id, room);
    return room;
  }

  directRoomOf(user: string): string {
    return `D0${user.slice(2)}`;
  }

  /** A timestamp of Slack, which is the id of a message in its room: increasing and unique. */
  nextTs(): string {
    this.#lastTs = Math.max((this.#frozenAt ?? Date.now()) * 1_000, this.#lastTs + 1);
    return `${Math.floor(this.#lastTs / 1_000_000)}.${String(this.#lastTs % 1_000_000).padStart(6, "0")}`;
  }

  /** Timestamps count from this time on, so that the same steps give the same ids. */
  freeze(at: number): void {
    this.#frozenAt = at;
  }

  find(room: string, ts: string): SlackMessage | undefined {
    return this.messages.find((message) => message.room === room && message.ts === ts);
  }
}
