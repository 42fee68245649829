import type { Profile } from "../api/profiles.ts";
import type { SlackIdentity } from "../api/web-api.ts";
import type { SlackAccess } from "../config.ts";
import type { EventEnvelope, MessageEvent } from "./payload.ts";

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

/** Why the author may not speak here. An unknown workspace counts as foreign. */
export const refusalOf = (author: AuthorTeam, access: SlackAccess | undefined): string | undefined => {
  const { teams = [] } = access ?? {};
  if (author === "ours" || teams === "*") return undefined;
  if (author === "unknown") return UNKNOWN;
  return teams.includes(author.team) ? undefined : OTHER_WORKSPACE;
};

const OTHER_WORKSPACE = "I talk to members of my own workspace only: ask whoever runs me for access.";
const UNKNOWN =
  "I talk to members of my own workspace only, and Slack does not tell me which one is yours: try again in a minute.";

const isOurs = (team: string, { teamId, enterpriseId }: SlackIdentity): boolean =>
  team === teamId || team === enterpriseId;
