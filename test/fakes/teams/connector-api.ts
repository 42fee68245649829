import { z } from "zod";
import { Recorder } from "../recorder.ts";

/** An activity as the bot posted it. */
export const PostedActivity = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  textFormat: z.string().optional(),
  summary: z.string().optional(),
  entities: z.array(z.unknown()).optional(),
  attachments: z
    .array(
      z.looseObject({
        contentType: z.string(),
        name: z.string().optional(),
        contentUrl: z.string().optional(),
        content: z.unknown().optional(),
      }),
    )
    .optional(),
});
export type PostedActivity = z.infer<typeof PostedActivity>;

export interface Post {
  readonly id: string;
  readonly conversationId: string;
  activity: PostedActivity;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

const Create = z.looseObject({
  isGroup: z.boolean(),
  tenantId: z.string(),
  members: z.array(z.looseObject({ id: z.string() })).optional(),
  channelData: z.looseObject({ channel: z.looseObject({ id: z.string() }).optional() }).optional(),
  activity: PostedActivity.optional(),
});

/** The lowest size limit of Teams' endpoints. */
const MAX_BYTES = 28 * 1024;

/** The operations of the Bot Connector that a bot in Teams uses. */
export class ConnectorApi {
  /** Rooms in which the app is installed. */
  readonly roster = new Set<string>();
  readonly posts = new Recorder<Post>();
  readonly typing = new Recorder<string>();
  readonly edits = new Recorder<Post>();
  /** The private chats that can be opened, by the person's user id. */
  readonly privateRooms = new Map<string, string>();
  #lastId = 1_700_000_000_000;

  nextId(): string {
    return String(++this.#lastId);
  }

  /** Undefined: unknown operation. */
  answer(method: string, path: string, body: string): ApiAnswer | undefined {
    const [, collection, conversation, activities, activityId] =
      /^\/v3\/(conversations)(?:\/([^/]+)(?:\/(activities)(?:\/([^/]+))?)?)?$/.exec(path) ?? [];
    if (collection === undefined) return undefined;
    // The larger of the bytes in transit and the count of Teams, two bytes per UTF-16 unit.
    if (Math.max(Buffer.byteLength(body), body.length * 2) > MAX_BYTES) return refusal(413, "MessageSizeTooBig");
    const id = decodeURIComponent(conversation ?? "");
    if (method === "POST" && id === "") return this.#create(Create.parse(JSON.parse(body)));
    if (activities === undefined) return undefined;
    if (!this.roster.has(roomOf(id))) return refusal(403, "BotNotInConversationRoster");
    const activity = PostedActivity.parse(JSON.parse(body));
    // With an id it is a reply to that activity.
    if (method === "POST") return this.#post(id, activity);
    if (method === "PUT" && activityId !== undefined) return this.#change(id, decodeURIComponent(activityId), activity);
    return undefined;
  }

  #post(conversationId: string, activity: PostedActivity): ApiAnswer {
    if (activity.type === "typing") {
      this.typing.add(conversationId);
      return { status: 202, body: {} };
    }
    if (!activity.text && !activity.attachments?.length) return refusal(400, "BadSyntax");
    const id = this.nextId();
    this.posts.add({ id, conversationId, activity });
    return { status: 201, body: { id } };
  }

  #change(conversationId: string, id: string, activity: PostedActivity): ApiAnswer {
    const post = this.posts.items.find((one) => one.id === id && one.conversationId === conversationId);
    if (post === undefined) return refusal(404, "ActivityNotFoundInConversation");
    post.activity = activity;
    this.edits.add({ ...post });
    return { status: 200, body: { id } };
  }

  #create({ isGroup, members = [], channelData, activity }: z.infer<typeof Create>): ApiAnswer {
    const channel = channelData?.channel?.id;
    if (isGroup && channel !== undefined && activity !== undefined) {
      if (!this.roster.has(channel)) return refusal(403, "BotNotInConversationRoster");
      const id = this.nextId();
      const conversationId = `${channel};messageid=${id}`;
      this.posts.add({ id, conversationId, activity });
      return { status: 201, body: { id: conversationId, activityId: id } };
    }
    const room = this.privateRooms.get(members[0]?.id ?? "");
    if (isGroup || room === undefined) return refusal(403, "BotNotInConversationRoster");
    this.roster.add(room);
    return { status: 201, body: { id: room } };
  }
}

const roomOf = (conversationId: string): string => conversationId.split(";messageid=", 1)[0] ?? conversationId;

const refusal = (status: number, code: string): ApiAnswer => ({ status, body: { error: { code, message: code } } });
