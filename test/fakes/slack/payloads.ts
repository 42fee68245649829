import type { SlackMessage, SlackWorld } from "./slack-world.ts";

/** A person's message, from which the events of Slack are made. */
export interface WrittenMessage {
  readonly user: string;
  readonly room: string;
  readonly text: string;
  readonly ts: string;
  readonly thread?: string;
  /** Further or different fields of the event. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** The envelope of an event, the same over HTTP and over the socket. */
export const envelopeOf = ({ teamId, appId, botUserId, rooms }: SlackWorld, event: object, eventId: string) => ({
  token: "unused",
  team_id: teamId,
  api_app_id: appId,
  event,
  type: "event_callback",
  event_id: eventId,
  event_time: Math.floor(Date.now() / 1_000),
  authorizations: [
    { enterprise_id: null, team_id: teamId, user_id: botUserId, is_bot: true, is_enterprise_install: false },
  ],
  is_ext_shared_channel: rooms.get("channel" in event ? String(event.channel) : "")?.isShared ?? false,
  event_context: "unused",
});

export const messageEvent = (world: SlackWorld, message: WrittenMessage) => {
  const { room, thread } = message;
  const kind = world.rooms.get(room)?.kind ?? "channel";
  const root = thread === undefined ? undefined : world.find(room, thread);
  return {
    ...eventFields(world, message),
    type: "message",
    channel_type: kind,
    ...(root && thread !== message.ts && { parent_user_id: root.user }),
    ...message.more,
  };
};

export const mentionEvent = (world: SlackWorld, message: WrittenMessage) => ({
  ...eventFields(world, message),
  type: "app_mention",
  ...message.more,
});

const eventFields = ({ teamId, users }: SlackWorld, { user, room, text, ts, thread }: WrittenMessage) => ({
  user,
  text,
  ts,
  channel: room,
  event_ts: ts,
  client_msg_id: `client-${ts}`,
  team: users.get(user)?.team ?? teamId,
  ...(thread !== undefined && { thread_ts: thread }),
});

export const slashCommand = (
  { teamId, appId, rooms }: SlackWorld,
  { user, room, text, trigger }: { user: string; room: string; text: string; trigger: string },
) => ({
  token: "unused",
  team_id: teamId,
  team_domain: "mooring",
  channel_id: room,
  channel_name: rooms.get(room)?.kind === "im" || room.startsWith("D") ? "directmessage" : "lobby",
  user_id: user,
  user_name: user.toLowerCase(),
  command: "/mooring",
  text,
  api_app_id: appId,
  is_enterprise_install: "false",
  response_url: "https://hooks.slack.com/commands/unused",
  trigger_id: trigger,
});

export const buttonPress = (
  world: SlackWorld,
  { user, message, actionId, value }: { user: string; message: SlackMessage; actionId: string; value?: string },
) => ({
  type: "block_actions",
  user: { id: user, username: world.users.get(user)?.name, team_id: world.users.get(user)?.team ?? world.teamId },
  api_app_id: world.appId,
  token: "unused",
  container: {
    type: "message",
    message_ts: message.ts,
    channel_id: message.room,
    is_ephemeral: message.onlyFor !== undefined,
    ...(message.thread !== undefined && { thread_ts: message.thread }),
  },
  trigger_id: "unused",
  team: { id: world.teamId, domain: "mooring" },
  enterprise: null,
  is_enterprise_install: false,
  channel: { id: message.room, name: "lobby" },
  message: { type: "message", ts: message.ts, ...(message.thread !== undefined && { thread_ts: message.thread }) },
  actions: [
    {
      type: "button",
      action_id: actionId,
      block_id: "unused",
      ...(value !== undefined && { value }),
      action_ts: world.nextTs(),
    },
  ],
});
