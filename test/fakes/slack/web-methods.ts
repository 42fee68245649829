import { problemWith, textsOf } from "./check-blocks.ts";
import type { Block, SlackFile, SlackMessage, SlackWorld } from "./slack-world.ts";

export type Args = Readonly<Record<string, string | undefined>>;
export type Result = { readonly ok: boolean; readonly error?: string; readonly [field: string]: unknown };
type Method = (world: SlackWorld, args: Args, baseUrl: string) => Result;

const failed = (error: string, more: object = {}): Result => ({ ok: false, error, ...more });
const json = <T>(text: string | undefined, otherwise: T): T => (text === undefined ? otherwise : JSON.parse(text));

/** The scope that each method requires of a bot token. */
export const scopeOf: Readonly<Record<string, string>> = {
  "chat.postMessage": "chat:write",
  "chat.postEphemeral": "chat:write",
  "chat.update": "chat:write",
  "conversations.open": "im:write",
  "conversations.history": "channels:history",
  "conversations.replies": "channels:history",
  "users.info": "users:read",
  "bots.info": "users:read",
  "files.info": "files:read",
  "assistant.threads.setStatus": "assistant:write",
  "reactions.add": "reactions:write",
  "reactions.remove": "reactions:write",
  "files.getUploadURLExternal": "files:write",
  "files.completeUploadExternal": "files:write",
};

/** The methods in use of the Web API, after its reference. */
export const webMethods: Readonly<Record<string, Method>> = {
  "auth.test": ({ teamId, botUserId, botId }) => ({
    ok: true,
    url: "https://mooring.slack.com/",
    team: "Mooring",
    user: "mooring",
    team_id: teamId,
    user_id: botUserId,
    bot_id: botId,
    is_enterprise_install: false,
  }),

  "chat.postMessage": (world, args) => {
    const problem = cannotPost(world, args);
    if (problem) return problem;
    const message = store(world, args);
    return { ok: true, channel: message.room, ts: message.ts, message: wireForm(world, message) };
  },

  "chat.postEphemeral": (world, args) => {
    const problem = cannotPost(world, args);
    if (problem) return problem;
    const { user = "" } = args;
    if (!world.rooms.get(args.channel ?? "")?.members.has(user)) return failed("user_not_in_channel");
    return { ok: true, message_ts: store(world, args, user).ts };
  },

  "chat.update": (world, args) => {
    const message = world.find(args.channel ?? "", args.ts ?? "");
    if (message === undefined) return failed("message_not_found");
    if (message.user !== world.botUserId) return failed("cant_update_message");
    const problem = cannotPost(world, args);
    if (problem) return problem;
    // An edit keeps the fields that it omits.
    message.text = args.text ?? message.text;
    message.blocks = json(args.blocks, message.blocks);
    message.attachments = json(args.attachments, message.attachments);
    message.pings = notifies(args);
    return { ok: true, channel: message.room, ts: message.ts, text: message.text };
  },

  "conversations.open": (world, { users = "" }) => {
    const room = world.rooms.get(world.directRoomOf(users));
    return world.users.has(users) && room ? { ok: true, channel: { id: room.id } } : failed("user_not_found");
  },

  "conversations.history": (world, args) =>
    page(world, args, (message) => message.thread === undefined || message.thread === message.ts, "newest first"),

  "conversations.replies": (world, args) => {
    const root = args.ts ?? "";
    return page(world, args, ({ ts, thread }) => ts === root || thread === root, "oldest first");
  },

  "users.info": (world, { user = "" }) => {
    const found = world.users.get(user);
    if (found === undefined) return failed("user_not_found");
    const profile = { display_name: found.name, real_name: `${found.name} of Mooring` };
    const { team = world.teamId, ...about } = found;
    const stranger = team === world.teamId ? {} : { is_stranger: true };
    return { ok: true, user: { tz: "Europe/Berlin", locale: "en-GB", ...about, team_id: team, ...stranger, profile } };
  },

  "bots.info": ({ botId, appId }) => ({ ok: true, bot: { id: botId, app_id: appId, name: "mooring" } }),

  "files.info": (world, { file = "" }, baseUrl) => {
    const found = world.files.get(file);
    if (found === undefined) return failed("file_not_found");
    const { content, ...about } = found;
    return { ok: true, file: { ...about, size: content.length, url_private_download: `${baseUrl}/files/${file}` } };
  },

  "files.getUploadURLExternal": (world, { filename = "", length = "" }, baseUrl) => {
    if (filename === "" || !(Number(length) > 0)) return failed("invalid_arguments");
    const id = `F0UP${world.files.size + 1}`;
    world.files.set(id, { id, name: filename, mimetype: "application/octet-stream", content: Buffer.alloc(0) });
    return { ok: true, upload_url: `${baseUrl}/upload/${id}`, file_id: id };
  },

  "files.completeUploadExternal": (world, { files }) => {
    const uploaded = json<{ id: string }[]>(files, []).map(({ id }) => world.files.get(id));
    if (uploaded.some((file) => !file?.content.length)) return failed("file_not_found");
    return { ok: true, files: uploaded.map((file) => ({ id: file?.id, permalink: permalinkOf(file) })) };
  },

  "reactions.add": (world, { channel = "", timestamp = "", name = "" }) => {
    const message = world.find(channel, timestamp);
    if (message === undefined) return failed("message_not_found");
    if (message.reactions?.includes(name)) return failed("already_reacted");
    message.reactions = [...(message.reactions ?? []), name];
    world.reacted.add({ room: channel, thread: message.thread, ts: timestamp, name });
    return { ok: true };
  },

  "reactions.remove": (world, { channel = "", timestamp = "", name = "" }) => {
    const message = world.find(channel, timestamp);
    if (message === undefined) return failed("message_not_found");
    if (!message.reactions?.includes(name)) return failed("no_reaction");
    message.reactions = message.reactions.filter((each) => each !== name);
    world.reacted.add({ room: channel, thread: message.thread, ts: timestamp, name, isRemoved: true });
    return { ok: true };
  },

  "assistant.threads.setStatus": (world, { channel_id: room = "", thread_ts: thread = "", status = "" }) => {
    if (thread === "") return failed("invalid_arguments");
    world.statuses.add({ room, thread, status });
    return { ok: true };
  },
};

const permalinkOf = (file: SlackFile | undefined): string =>
  `https://mooring.slack.com/files/U0BOT/${file?.id}/${encodeURIComponent(file?.name ?? "")}`;

const cannotPost = (world: SlackWorld, args: Args): Result | undefined => {
  const room = world.rooms.get(args.channel ?? "");
  if (room === undefined) return failed("channel_not_found");
  if (room.archived) return failed("is_archived");
  if (!room.members.has(world.botUserId)) return failed("not_in_channel");
  const blocks = json<Block[]>(args.blocks, []);
  const text = args.text ?? "";
  if (text.trim() === "" && blocks.length === 0) return failed("no_text");
  if (text.length > 40_000) return failed("msg_too_long");
  const problem = problemWith(blocks);
  return problem && failed(problem.error, { response_metadata: { messages: problem.messages } });
};

const store = (world: SlackWorld, args: Args, onlyFor?: string): SlackMessage => {
  const message: SlackMessage = {
    room: args.channel ?? "",
    ts: world.nextTs(),
    ...(args.thread_ts !== undefined && { thread: args.thread_ts }),
    user: world.botUserId,
    text: args.text ?? "",
    blocks: json<Block[]>(args.blocks, []),
    attachments: json(args.attachments, []),
    metadata: json(args.metadata, undefined),
    pings: notifies(args),
    ...(onlyFor !== undefined && { onlyFor }),
  };
  world.messages.push(message);
  return message;
};

/** Whether the message notifies people: by a mention, or by plain words that Slack parses. */
const notifies = ({ text = "", blocks, attachments, parse, link_names }: Args): boolean => {
  const attached = json<SlackMessage["attachments"]>(attachments, []).flatMap((attachment) => attachment.blocks ?? []);
  const all = [...json<Block[]>(blocks, []), ...attached];
  const parsed = [...(parse === "none" && link_names === "false" ? [] : [text]), ...textsOf(all, "not verbatim")];
  const isMention = (content: string) => /<!(channel|here|everyone|subteam)|<@/.test(content);
  const isPlainMention = (content: string) => /@(channel|here|everyone)\b/.test(content);
  return [text, ...textsOf(all)].some(isMention) || parsed.some(isPlainMention);
};

const page = (
  world: SlackWorld,
  args: Args,
  belongs: (message: SlackMessage) => boolean,
  order: "newest first" | "oldest first",
): Result => {
  const { channel, oldest = "0", limit = "100", cursor = "0", include_all_metadata } = args;
  if (!world.rooms.has(channel ?? "")) return failed("channel_not_found");
  const all = world.messages.filter(
    (message) =>
      message.room === channel &&
      message.onlyFor === undefined &&
      Number(message.ts) > Number(oldest) &&
      belongs(message),
  );
  if (order === "newest first") all.reverse();
  const from = Number(cursor);
  const to = from + Number(limit);
  const messages = all
    .slice(from, to)
    .map((message) => wireForm(world, message))
    .map(({ metadata, ...rest }) => (include_all_metadata === "true" ? { ...rest, metadata } : rest));
  const more = to < all.length;
  return { ok: true, messages, has_more: more, response_metadata: { next_cursor: more ? String(to) : "" } };
};

const wireForm = ({ botId, botUserId }: SlackWorld, message: SlackMessage) => ({
  type: "message",
  user: message.user,
  text: message.text,
  ts: message.ts,
  blocks: message.blocks,
  ...(message.thread !== undefined && { thread_ts: message.thread }),
  ...(message.user === botUserId && { bot_id: botId }),
  metadata: message.metadata,
});
