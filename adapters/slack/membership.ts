import type { SlackAccess } from "./config.ts";
import type { SlackIdentity } from "./identity.ts";
import type { EventEnvelope, MessageEvent } from "./payload.ts";
import type { Profile } from "./profiles.ts";

/** unknown: the event does not say it, so Slack has to be asked. */
export type AuthorTeam = { readonly team: string } | "ours" | "unknown";

/**
 * The workspace that an author belongs to. Events of channels that are shared with other workspaces name the author's
 * in `user_team` (https://docs.slack.dev/apis/slack-connect); `team` alone is trusted only where no other workspace
 * can be in the channel.
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

/** What Slack says about the person itself. */
export const profileTeamOf = ({ teamIds, isStranger }: Profile, identity: SlackIdentity): AuthorTeam => {
  const [team] = teamIds ?? [];
  if (team === undefined) return "unknown";
  if (!isStranger && teamIds?.some((each) => isOurs(each, identity))) return "ours";
  return { team };
};

/** Why the author may not speak here; a workspace that is not known is not ours. */
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
