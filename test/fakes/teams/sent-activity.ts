/** The kind of conversation. */
export type TeamsConversationType = "personal" | "groupChat" | "channel";

export interface Said {
  readonly text?: string;
  readonly person?: string;
  readonly conversationType?: TeamsConversationType;
  /** The first message of a channel thread; defaults to this message. */
  readonly thread?: string;
  /** Defaults to a new id; a message with the same id is a duplicate. */
  readonly id?: string;
  /** Whether the text begins with a mention of the bot. Defaults to true, except in private. */
  readonly mention?: boolean;
  /** Further or different fields of the activity. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export interface World {
  readonly appId: string;
  readonly tenantId: string;
  readonly serviceUrl: string;
}

export const TEAM_ID = "19:team-harbour@thread.tacv2";
export const GROUP_ID = "5e0c7a52-0000-4000-8000-00000000beef";
export const CHANNEL_ROOM = "19:harbour@thread.tacv2";
export const GROUP_ROOM = "19:sailors@thread.v2";

export const privateRoomOf = (person: string): string => `a:chat-with-${person}`;
export const userIdOf = (person: string): string => `29:${person}`;
export const objectIdOf = (person: string): string =>
  `00000000-0000-4000-8000-${Buffer.from(person).toString("hex").padStart(12, "0").slice(-12)}`;

export const roomIn = (conversationType: TeamsConversationType, person: string): string =>
  ({ personal: privateRoomOf(person), groupChat: GROUP_ROOM, channel: CHANNEL_ROOM })[conversationType];

/** The fields of every activity of a person. */
export const activityBy = (
  world: World,
  { person = "ann", conversationType = "personal", thread }: Said,
  id: string,
) => {
  const room = roomIn(conversationType, person);
  return {
    id,
    timestamp: "2026-01-02T03:04:05.678Z",
    localTimestamp: "2026-01-02T04:04:05.678+01:00",
    localTimezone: "Europe/Berlin",
    locale: "en-GB",
    channelId: "msteams",
    serviceUrl: world.serviceUrl,
    from: { id: userIdOf(person), name: `${person} Example`, aadObjectId: objectIdOf(person) },
    recipient: { id: `28:${world.appId}`, name: "Mooring" },
    conversation: {
      id: conversationType === "channel" ? `${room};messageid=${thread ?? id}` : room,
      conversationType: conversationType,
      tenantId: world.tenantId,
      ...(conversationType !== "personal" && { isGroup: true }),
    },
    channelData: {
      tenant: { id: world.tenantId },
      ...(conversationType === "channel" && {
        team: { id: TEAM_ID, aadGroupId: GROUP_ID, name: "Harbour" },
        channel: { id: CHANNEL_ROOM },
        teamsTeamId: TEAM_ID,
        teamsChannelId: CHANNEL_ROOM,
      }),
    },
  };
};

export const messageBy = (world: World, said: Said, id: string): Record<string, unknown> => {
  const { text = "", conversationType = "personal", mention = conversationType !== "personal", more } = said;
  const at = "<at>Mooring</at>";
  return {
    ...activityBy(world, said, id),
    type: "message",
    textFormat: "plain",
    text: mention ? `${at}&nbsp;${text}` : text,
    attachments: [{ contentType: "text/html", content: `<div>${text}</div>` }],
    entities: [
      { type: "clientInfo", locale: "en-GB", country: "GB", platform: "Web", timezone: "Europe/Berlin" },
      ...(mention ? [{ type: "mention", text: at, mentioned: { id: `28:${world.appId}`, name: "Mooring" } }] : []),
    ],
    ...more,
  };
};
