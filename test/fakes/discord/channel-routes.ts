import type { Recorder } from "../recorder.ts";
import type { RestAnswer, RestCall, Route } from "./fake-rest.ts";
import { refusal } from "./fake-rest.ts";
import { PostInput, pingsOf } from "./post-input.ts";
import type { FakeMessage, World } from "./world.ts";

export interface Reaction {
  readonly channelId: string;
  readonly messageId: string;
  readonly emoji: string;
  readonly isRemoved?: boolean;
}

export interface ChannelRoutesDeps {
  readonly world: World;
  readonly reactions: Recorder<Reaction>;
  readonly typing: Recorder<string>;
  posted(message: FakeMessage): void;
}

const CODES: Record<number, string> = {
  50001: "Missing Access",
  50007: "Cannot send messages to this user",
  50013: "Missing Permissions",
  50278: "Cannot send messages to this user due to having no mutual guilds",
};

/** The API of channels and their messages. */
export const channelRoutes = ({ world, typing, reactions, posted }: ChannelRoutesDeps): readonly Route[] => {
  const inChannel = (id: string, answer: () => RestAnswer): RestAnswer => {
    const channel = world.channels.get(id);
    if (channel === undefined) return refusal(404, 10_003, "Unknown Channel");
    const isInaccessible = channel.guild_id !== undefined && !world.guilds.has(channel.guild_id);
    const code = isInaccessible ? 50_001 : channel.refuses;
    return code === undefined ? answer() : refusal(403, code, CODES[code] ?? "Forbidden");
  };

  const post = (channelId: string, { body, files }: Pick<RestCall, "body" | "files">): RestAnswer => {
    const input = PostInput.safeParse(body);
    if (!input.success) return refusal(400, 50_035, `Invalid Form Body: ${input.error.message}`);
    const { content, nonce, enforce_nonce, message_reference: reference, components } = input.data;
    if (files.some(({ bytes }) => bytes.length > MAX_FILE_BYTES))
      return refusal(413, 40_005, "Request entity too large");
    if (content.trim() === "" && files.length === 0) return refusal(400, 50_006, "Cannot send an empty message");
    const same = world.messagesIn(channelId).find((message) => nonce !== undefined && message.nonce === nonce);
    if (enforce_nonce && same) return { status: 200, body: shown(same) };
    const answered = world.messages.find(({ id }) => id === reference?.message_id);
    if (reference?.fail_if_not_exists && !answered) return refusal(400, 50_035, "Unknown message");
    const { guild_id } = world.channels.get(channelId) ?? {};
    const message = world.add({
      id: world.ids.next(),
      channel_id: channelId,
      ...(guild_id !== undefined && { guild_id }),
      type: reference ? 19 : 0,
      author: world.bot,
      content: content.trim(),
      timestamp: new Date().toISOString(),
      mentions: [],
      attachments: [],
      components,
      files,
      ...(nonce !== undefined && { nonce }),
      ...(reference && { message_reference: { message_id: reference.message_id } }),
      ...(answered && { referenced_message: answered }),
      pings: pingsOf(input.data),
    });
    posted(message);
    return { status: 200, body: shown(message) };
  };

  const edit = (messageId: string, body: unknown): RestAnswer => {
    const message = world.messages.find(({ id }) => id === messageId);
    if (message === undefined) return refusal(404, 10_008, "Unknown Message");
    if (message.author.id !== world.bot.id)
      return refusal(403, 50_005, "Cannot edit a message authored by another user");
    const input = PostInput.safeParse(body);
    if (!input.success) return refusal(400, 50_035, "Invalid Form Body");
    message.content = input.data.content.trim();
    message.components = input.data.components;
    message.pings = pingsOf(input.data);
    world.changes.add(message);
    return { status: 200, body: shown(message) };
  };

  const history = (channelId: string, query: URLSearchParams): RestAnswer => {
    const after = BigInt(query.get("after") ?? "0");
    const limit = Number(query.get("limit") ?? "50");
    if (!(limit >= 1 && limit <= 100)) return refusal(400, 50_035, "Invalid Form Body");
    const messages = world.messagesIn(channelId).filter(({ id }) => BigInt(id) > after);
    const oldest = messages.sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)).slice(0, limit);
    // Newest first, without the server; Discord does not store nonces.
    return { status: 200, body: oldest.reverse().map(({ guild_id: _, nonce: __, ...rest }) => shown(rest)) };
  };

  return [
    [
      "GET",
      /^\/channels\/(\d+)$/,
      (_, id = "") => inChannel(id, () => ({ status: 200, body: world.channels.get(id) })),
    ],
    ["POST", /^\/channels\/(\d+)\/messages$/, (call, id = "") => inChannel(id, () => post(id, call))],
    ["GET", /^\/channels\/(\d+)\/messages$/, ({ query }, id = "") => inChannel(id, () => history(id, query))],
    [
      "PATCH",
      /^\/channels\/(\d+)\/messages\/(\d+)$/,
      ({ body }, id = "", m = "") => inChannel(id, () => edit(m, body)),
    ],
    [
      "GET",
      /^\/channels\/(\d+)\/messages\/(\d+)$/,
      (_, id = "", messageId = "") =>
        inChannel(id, () => {
          const message = world.messages.find((each) => each.id === messageId);
          return message ? { status: 200, body: shown(message) } : refusal(404, 10_008, "Unknown Message");
        }),
    ],
    [
      "PUT",
      /^\/channels\/(\d+)\/messages\/(\d+)\/reactions\/([^/]+)\/@me$/,
      (_, channelId = "", messageId = "", emoji = "") =>
        inChannel(channelId, () => {
          if (!world.messages.some(({ id }) => id === messageId)) return refusal(404, 10_008, "Unknown Message");
          reactions.add({ channelId, messageId, emoji });
          return { status: 204 };
        }),
    ],
    [
      "DELETE",
      /^\/channels\/(\d+)\/messages\/(\d+)\/reactions\/([^/]+)\/@me$/,
      (_, channelId = "", messageId = "", emoji = "") =>
        inChannel(channelId, () => {
          if (!world.messages.some(({ id }) => id === messageId)) return refusal(404, 10_008, "Unknown Message");
          const isSame = (each: Reaction) => each.messageId === messageId && each.emoji === emoji;
          const last = reactions.items.filter(isSame).at(-1);
          if (last === undefined || last.isRemoved) return refusal(404, 10_014, "Unknown Emoji");
          reactions.add({ channelId, messageId, emoji, isRemoved: true });
          return { status: 204 };
        }),
    ],
    [
      "POST",
      /^\/channels\/(\d+)\/typing$/,
      (_, id = "") =>
        inChannel(id, () => {
          typing.add(id);
          return { status: 204 };
        }),
    ],
  ];
};

/** Removes the fields that exist only for tests. */
const shown = ({ pings: _, files: __, ...message }: FakeMessage): object => message;

const MAX_FILE_BYTES = 10 * 1024 * 1024;
