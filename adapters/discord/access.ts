import { Routes } from "discord.js";
import type { Clock } from "../../core/contract/clock.ts";
import type { Conversation } from "../../core/contract/conversation.ts";
import { DeliveryFailed } from "../contract/delivery-failed.ts";
import type { DiscordAccess } from "./config.ts";
import type { RestCalls } from "./rest-calls.ts";

const MEMBER_FOR_MS = 10 * 60_000;
const STRANGER_FOR_MS = 60_000;
const SAME_MOMENT_MS = 1_000;
const MOST_REMEMBERED = 10_000;

/** Where the agent listens, and to whom in private (I2). Accounts and rates are the inbox's to check. */
export class DiscordAccessCheck {
  readonly #access: DiscordAccess;
  readonly #rest: RestCalls;
  readonly #clock: Clock;
  readonly #members = new Map<string, { isMember: boolean; until: number }>();
  readonly #asked = new Map<string, { at: number; answer: Promise<boolean> }>();

  constructor(access: DiscordAccess, rest: RestCalls, clock: Clock) {
    this.#access = access;
    this.#rest = rest;
    this.#clock = clock;
  }

  get mentionOnly(): boolean {
    return this.#access.mentionOnly;
  }

  allowsPlace({ workspace, room }: Conversation): boolean {
    if (workspace === undefined) return true;
    const { workspaces: guilds = "*", rooms = "*" } = this.#access;
    return (guilds === "*" || guilds.includes(workspace)) && (rooms === "*" || rooms.includes(room));
  }

  /** Anybody can write to a bot in private: unless accounts are named, it takes a member of a named server. */
  async mayWrite(conversation: Conversation, accountId: string): Promise<boolean> {
    return this.#isMemberOfOne(conversation, (guild) => this.#isKnownMember(guild, accountId));
  }

  /**
   * Who has left a moment ago is shown nothing more (D3). Discord would tell of it only with the Server Members intent,
   * which it has to allow, so it is asked with everything that is sent.
   */
  async maySee(conversation: Conversation, accountId: string): Promise<boolean> {
    return this.#isMemberOfOne(conversation, (guild) => this.#isMemberNow(guild, accountId));
  }

  async #isMemberOfOne({ kind }: Conversation, isMember: (guild: string) => Promise<boolean>): Promise<boolean> {
    const { workspaces: guilds = "*", accounts } = this.#access;
    if (kind === "shared" || guilds === "*" || accounts !== undefined) return true;
    for (const guild of guilds) if (await isMember(guild)) return true;
    return false;
  }

  async #isKnownMember(guild: string, accountId: string): Promise<boolean> {
    const known = this.#members.get(`${guild}/${accountId}`);
    return known && known.until > this.#clock.monotonic() ? known.isMember : this.#isMember(guild, accountId);
  }

  /** One answer is for all that is sent in the same moment, such as the items of a digest: Discord counts calls. */
  #isMemberNow(guild: string, accountId: string): Promise<boolean> {
    const key = `${guild}/${accountId}`;
    const now = this.#clock.monotonic();
    const asked = this.#asked.get(key);
    if (asked !== undefined && now - asked.at < SAME_MOMENT_MS) return asked.answer;
    if (this.#asked.size >= MOST_REMEMBERED) this.#asked.clear();
    const answer = this.#isMember(guild, accountId);
    this.#asked.set(key, { at: now, answer });
    answer.catch(() => this.#asked.delete(key));
    return answer;
  }

  async #isMember(guild: string, accountId: string): Promise<boolean> {
    const isMember = await this.#ask(guild, accountId);
    if (this.#members.size >= MOST_REMEMBERED) this.#members.clear();
    const until = this.#clock.monotonic() + (isMember ? MEMBER_FOR_MS : STRANGER_FOR_MS);
    this.#members.set(`${guild}/${accountId}`, { isMember, until });
    return isMember;
  }

  async #ask(guild: string, accountId: string): Promise<boolean> {
    try {
      await this.#rest.call("get", Routes.guildMember(guild, accountId));
      return true;
    } catch (error) {
      if (error instanceof DeliveryFailed && ["target-gone", "forbidden"].includes(error.reason)) return false;
      throw error;
    }
  }
}
