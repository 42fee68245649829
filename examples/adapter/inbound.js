import { createHmac, timingSafeEqual } from "node:crypto";
import { kindFor, textCommand } from "mooring/adapter";
import { z } from "zod";

const SIGNATURE_AGE_MS = 5 * 60_000;
const MENTION = /^\s*@paperbot\b[:,]?\s*/;

const Event = z.object({
  type: z.enum(["message", "edit", "press"]),
  /** The same each time that the platform delivers the event. */
  id: z.string(),
  /** The platform's id of the message that was written, edited, or whose button was pressed. */
  note: z.string(),
  room: z.string(),
  thread: z.string().optional(),
  direct: z.boolean(),
  author: z.object({ id: z.string(), name: z.string(), bot: z.boolean() }),
  text: z.string(),
  replyTo: z.string().optional(),
  button: z.object({ name: z.string(), value: z.string() }).optional(),
  at: z.iso.datetime(),
});

/**
 * Checks the signature over the raw bytes, and its age.
 * @param {Readonly<Record<string, string | undefined>>} headers
 * @param {Buffer} body
 * @param {string} secret
 * @param {number} now
 */
export const isGenuine = (headers, body, secret, now) => {
  const timestamp = headers["x-paper-timestamp"] ?? "";
  if (!(Math.abs(now - Number(timestamp)) < SIGNATURE_AGE_MS)) return false;
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest();
  const given = Buffer.from(headers["x-paper-signature"] ?? "", "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
};

/** @param {Buffer} body */
export const parseEvent = (body) => {
  try {
    return Event.safeParse(JSON.parse(body.toString("utf8"))).data;
  } catch {
    return undefined;
  }
};

/**
 * Converts an event to a message; undefined if the agent ignores it.
 * @param {z.infer<typeof Event>} event
 * @param {{ context: import("mooring/adapter").AdapterContext, mentionOnly: boolean }} options
 * @returns {import("mooring/adapter").InboundMessage | undefined}
 */
export const toMessage = (event, { context, mentionOnly }) => {
  const { channel, tenant, agent, newId } = context;
  // The bot's own notes come back as events, and answering other bots could go on forever.
  if (event.author.bot) return undefined;
  const isAddressed =
    event.direct || MENTION.test(event.text) || event.replyTo !== undefined || event.type !== "message";
  if (mentionOnly && !isAddressed) return undefined;
  const text = event.text.replace(MENTION, "").trim();
  const common = {
    tenant,
    agent,
    conversation: {
      channel,
      room: event.room,
      ...(event.thread !== undefined && { thread: event.thread }),
      kind: /** @type {"private" | "shared"} */ (event.direct ? "private" : "shared"),
    },
    account: { id: event.author.id, name: event.author.name },
    text,
    attachments: [],
    sentAt: event.at,
    traceId: newId(),
  };
  if (event.type === "press") {
    if (event.button === undefined) return undefined;
    const command = { name: event.button.name, args: event.button.value };
    return { ...common, kind: "command", id: `${channel}:${event.id}`, command, replyTo: event.note };
  }
  // The channel is part of the id, because two channels may receive the same event.
  const message = {
    ...common,
    id: `${channel}:${event.note}`,
    messageId: event.note,
    ...(event.replyTo !== undefined && { replyTo: event.replyTo }),
  };
  if (event.type === "edit") return { ...message, kind: "edit" };
  const kind = kindFor(textCommand(text));
  return kind.kind === "message" ? { ...message, ...kind, editable: true } : { ...message, ...kind };
};
