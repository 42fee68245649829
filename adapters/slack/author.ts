import { webApi } from "@slack/bolt";
import { BoundedCache } from "../../core/contract/bounded-cache.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import { ToldError } from "../../core/contract/texts/told-error.ts";
import type { SlackAccess } from "./config.ts";
import { slackErrorOf } from "./failure.ts";
import type { EventEnvelope, MessageEvent } from "./payload.ts";
import type { SlackIdentity } from "./web-api.ts";

export interface Profile {
  readonly name?: string;
  readonly timeZone?: string;
  readonly locale?: string;
  /** The workspaces of the person, the home workspace first. */
  readonly teamIds?: readonly string[];
  /** Belongs to another workspace, with which this one only shares channels. */
  readonly isStranger?: boolean;
}

const PROFILE_TTL_MS = 3_600_000;
const MISSING_PROFILE_TTL_MS = 60_000;
const MAX_CACHED = 5_000;
const NO_PROFILE: Profile = {};

interface CachedProfile {
  readonly profile: Promise<Profile>;
  until: number;
}

/** Names, time zones and workspaces of people, cached. A request is bounded in time and never fails a message. */
export class Profiles {
  readonly #client: webApi.WebClient;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #cache = new BoundedCache<string, CachedProfile>(MAX_CACHED);
  #pausedUntil = 0;

  constructor(client: webApi.WebClient, clock: Clock, timeoutMs: number) {
    this.#client = client;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  of(user: string): Promise<Profile> {
    const now = this.#clock.monotonic();
    const cached = this.#cache.get(user);
    if (cached !== undefined && cached.until > now) return cached.profile;
    if (now < this.#pausedUntil) return Promise.resolve(NO_PROFILE);
    const request = this.#fetch(user);
    const entry: CachedProfile = {
      profile: withinTime(this.#clock, this.#timeoutMs, request, NO_PROFILE),
      until: now + PROFILE_TTL_MS,
    };
    this.#cache.set(user, entry);
    void entry.profile.then((profile) => {
      if (profile === NO_PROFILE) entry.until = Math.min(entry.until, this.#clock.monotonic() + MISSING_PROFILE_TTL_MS);
    });
    return entry.profile;
  }

  async #fetch(user: string): Promise<Profile> {
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
      if (pauseMs > 0) this.#pausedUntil = this.#clock.monotonic() + pauseMs;
      return NO_PROFILE;
    }
  }
}

/** The result of a request that never rejects, or `otherwise` if it takes too long. */
export const withinTime = <T>(clock: Clock, ms: number, request: Promise<T>, otherwise: T): Promise<T> =>
  new Promise((resolve) => {
    const timer = clock.after(ms, () => resolve(otherwise));
    void request.then((result) => {
      timer.cancel();
      resolve(result);
    });
  });

/** How long to send no further requests of a kind: without the scope they are useless, and an outage needs a pause. */
export const pauseAfter = (error: unknown): number => {
  if (error instanceof webApi.WebAPIRateLimitedError) return error.retryAfter * 1_000;
  const name = slackErrorOf(error);
  if (name === "missing_scope") return PROFILE_TTL_MS;
  return name === undefined ? 10_000 : 0;
};

/** unknown: the event does not name it, so the author's profile must. */
export type AuthorTeam = { readonly team: string } | "ours" | "unknown";

/**
 * The author's workspace. Events of channels that are shared with other workspaces name it
 * in `user_team` (https://docs.slack.dev/apis/slack-connect); `team` alone is trustworthy only in channels that no
 * other workspace shares.
 */
export const authorTeamOf = (
  { user_team, source_team, team }: Pick<MessageEvent, "user_team" | "source_team" | "team">,
  { is_ext_shared_channel: isShared }: Pick<EventEnvelope, "is_ext_shared_channel">,
  identity: SlackIdentity,
): AuthorTeam => {
  const foreign = [user_team, source_team, team].find((named) => named && !isOurs(named, identity));
  if (foreign) return { team: foreign };
  if (user_team || isShared === false) return "ours";
  return team && !isShared ? "ours" : "unknown";
};

/** The author's workspace according to the profile. */
export const profileTeamOf = ({ teamIds, isStranger }: Profile, identity: SlackIdentity): AuthorTeam => {
  const [team] = teamIds ?? [];
  if (team === undefined) return "unknown";
  if (!isStranger && teamIds?.some((each) => isOurs(each, identity))) return "ours";
  return { team };
};

/** Why the author may not write here. An unknown workspace counts as foreign. */
export const refusalOf = (author: AuthorTeam, access: SlackAccess | undefined): ToldError | undefined => {
  const { teams = [] } = access ?? {};
  if (author === "ours" || teams === "*") return undefined;
  if (author === "unknown") return new ToldError("forbidden", ({ intake }) => intake.unknownWorkspace);
  return teams.includes(author.team) ? undefined : new ToldError("forbidden", ({ intake }) => intake.otherWorkspace);
};

const isOurs = (team: string, { teamId, enterpriseId }: SlackIdentity): boolean =>
  team === teamId || team === enterpriseId;
