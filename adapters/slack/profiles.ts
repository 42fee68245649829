import { webApi } from "@slack/bolt";
import type { Clock } from "../../core/contract/clock.ts";
import { slackErrorOf } from "./failure.ts";

export interface Profile {
  readonly name?: string;
  readonly timeZone?: string;
  readonly locale?: string;
  /** The workspaces that the person belongs to, their own first. */
  readonly teamIds?: readonly string[];
  /** Of another workspace, with which only channels are shared. */
  readonly isStranger?: boolean;
}

const KNOWN_FOR_MS = 3_600_000;
const UNKNOWN_FOR_MS = 60_000;
const MOST_KEPT = 5_000;
const NOTHING: Profile = {};

interface Kept {
  readonly profile: Promise<Profile>;
  until: number;
}

/** What people are called, and their clocks. A message never waits long for it, and never fails for it. */
export class Profiles {
  readonly #client: webApi.WebClient;
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #kept = new Map<string, Kept>();
  #silentUntil = 0;

  constructor(client: webApi.WebClient, clock: Clock, patienceMs: number) {
    this.#client = client;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  of(user: string): Promise<Profile> {
    const now = this.#clock.monotonic();
    const kept = this.#kept.get(user);
    if (kept !== undefined && kept.until > now) return kept.profile;
    if (now < this.#silentUntil) return Promise.resolve(NOTHING);
    const asked = this.#ask(user);
    const entry: Kept = { profile: this.#inTime(asked), until: now + KNOWN_FOR_MS };
    this.#kept.delete(user);
    this.#kept.set(user, entry);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    void entry.profile.then((profile) => {
      if (profile === NOTHING) entry.until = Math.min(entry.until, this.#clock.monotonic() + UNKNOWN_FOR_MS);
    });
    return entry.profile;
  }

  async #ask(user: string): Promise<Profile> {
    try {
      const { user: found } = await this.#client.users.info({ user, include_locale: true });
      const { display_name, real_name } = found?.profile ?? {};
      const name = display_name || real_name || found?.name;
      return {
        ...(name && { name }),
        ...(found?.tz && { timeZone: found.tz }),
        ...(found?.locale && { locale: found.locale }),
        ...(found?.team_id && { teamIds: [found.team_id, ...(found.enterprise_user?.teams ?? [])] }),
        ...(found?.is_stranger && { isStranger: true }),
      };
    } catch (error) {
      const pauseMs = pauseAfter(error);
      if (pauseMs > 0) this.#silentUntil = this.#clock.monotonic() + pauseMs;
      return NOTHING;
    }
  }

  #inTime(asked: Promise<Profile>): Promise<Profile> {
    return new Promise((resolve) => {
      const timer = this.#clock.after(this.#patienceMs, () => resolve(NOTHING));
      void asked.then((profile) => {
        timer.cancel();
        resolve(profile);
      });
    });
  }
}

/** Without the scope there is no use in asking; a platform in trouble is left alone for a moment. */
const pauseAfter = (error: unknown): number => {
  if (error instanceof webApi.WebAPIRateLimitedError) return error.retryAfter * 1_000;
  const name = slackErrorOf(error);
  if (name === "missing_scope") return KNOWN_FOR_MS;
  return name === undefined ? 10_000 : 0;
};
