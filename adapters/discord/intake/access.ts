import { Routes } from "discord.js";
import { BoundedCache } from "../../../core/contract/bounded-cache.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import type { RestCalls } from "../api/rest-calls.ts";
import type { DiscordAccess } from "../config.ts";

const MEMBER_TTL_MS = 10 * 60_000;
const NON_MEMBER_TTL_MS = 60_000;
const SHARED_REQUEST_MS = 1_000;
const MAX_CACHED = 10_000;

/** Checks where the agent listens, and to whom in private (I2). The inbox checks accounts and rates. */
export class DiscordAccessCheck {
  readonly #access: DiscordAccess;
  readonly #rest: RestCalls;
  readonly #clock: Clock;
  readonly #members = new BoundedCache<string, { isMember: boolean; until: number }>(MAX_CACHED);
  readonly #requests = new BoundedCache<string, { at: number; isMember: Promise<boolean> }>(MAX_CACHED);

  constructor(access: DiscordAccess, rest: RestCalls, clock: Clock) {
    this.#access = access;
    this.#rest = rest;
    this.#clock = clock;
  }

  get mentionOnly(): boolean {
    return this.#access.mentionOnly;
  }

  allowsConversation({ workspace, room }: Conversation): boolean {
    if (workspace === undefined) return true;
    const { workspaces: guilds = "*", rooms = "*" } = this.#access;
    return (guilds === "*" || guilds.includes(workspace)) && (rooms === "*" || rooms.includes(room));
  }

  /** Anyone can send a bot direct messages: unless accounts are configured, the author must be a member of a configured server. */
  async mayWrite(conversation: Conversation, accountId: string): Promise<boolean> {
    return this.#isMemberOfOne(conversation, (guild) => this.#isKnownMember(guild, accountId));
  }

  /**
   * An account that has just left must see nothing more (D3). Discord reports departures only with the privileged Server
   * Members intent, so each send checks the membership.
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

  /** Sends at the same moment, such as the items of a digest, share one request, because Discord limits the rate. */
  #isMemberNow(guild: string, accountId: string): Promise<boolean> {
    const key = `${guild}/${accountId}`;
    const now = this.#clock.monotonic();
    const recent = this.#requests.get(key);
    if (recent !== undefined && now - recent.at < SHARED_REQUEST_MS) return recent.isMember;
    const isMember = this.#isMember(guild, accountId);
    this.#requests.set(key, { at: now, isMember });
    isMember.catch(() => this.#requests.delete(key));
    return isMember;
  }

  async #isMember(guild: string, accountId: string): Promise<boolean> {
    const isMember = await this.#fetchMembership(guild, accountId);
    const until = this.#clock.monotonic() + (isMember ? MEMBER_TTL_MS : NON_MEMBER_TTL_MS);
    this.#members.set(`${guild}/${accountId}`, { isMember, until });
    return isMember;
  }

  async #fetchMembership(guild: string, accountId: string): Promise<boolean> {
    try {
      await this.#rest.call("get", Routes.guildMember(guild, accountId));
      return true;
    } catch (error) {
      if (error instanceof DeliveryFailed && ["target-gone", "forbidden"].includes(error.reason)) return false;
      throw error;
    }
  }
}
