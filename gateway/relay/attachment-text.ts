import type { AttachmentAdapter } from "../../adapters/contract/abilities.ts";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/clock.ts";
import type { Logger } from "../../core/contract/logger.ts";
import type { Attachment, UserMessage } from "../../core/contract/user-message.ts";
import { withinDeadline } from "./within-deadline.ts";

/** What is read of one file, and of all in one message: a model reads no more, and a message carries no more. */
const FILE_BYTES = 256_000;
const FILE_CHARS = 20_000;
const ALL_CHARS = 60_000;
/** A platform waits for its answer, some for three seconds only. */
const READ_WITHIN_MS = 1_500;

const TEXT_TYPE =
  /^(text\/.+|application\/(json|xml|yaml|x-yaml|toml|x-ndjson|javascript|sql|x-sh)|[^/]+\/[^/]+\+(json|xml|yaml))$/;

interface Parts {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The message, with the words of what is text in its attachments. What cannot be read in time is only named. */
export const withAttachmentText = async (
  { clock, logger }: Parts,
  adapter: AttachmentAdapter,
  message: UserMessage,
): Promise<UserMessage> => {
  if (!message.attachments.some(isText)) return message;
  const texts = new Map<Attachment, string>();
  const read = async (attachment: Attachment): Promise<void> => {
    try {
      const bytes = await adapter.fetchAttachment(attachment, FILE_BYTES);
      texts.set(attachment, decode(bytes));
    } catch (error) {
      logger.info(
        { channel: adapter.channel, message: message.id, error: messageOf(error) },
        "an attachment is not read",
      );
    }
  };
  const reading = Promise.all(message.attachments.filter(isText).map(read)).then(() => undefined);
  await withinDeadline(clock, READ_WITHIN_MS, reading, () =>
    logger.info({ channel: adapter.channel, message: message.id }, "attachments are not read in time"),
  );
  let left = ALL_CHARS;
  const attachments = message.attachments.map((attachment) => {
    const whole = texts.get(attachment);
    if (whole === undefined || left === 0) return attachment;
    const text = cut(whole, Math.min(left, FILE_CHARS));
    left = Math.max(0, left - text.length);
    return { ...attachment, text };
  });
  return { ...message, attachments };
};

const isText = ({ mediaType, bytes = 0 }: Attachment): boolean => TEXT_TYPE.test(mediaType) && bytes <= FILE_BYTES;

/** What only claims to be text is refused. */
const decode = (bytes: Uint8Array): string => {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  if (text.includes("\0")) throw new AppError("bad-input", "it is no text");
  return text;
};

const cut = (text: string, length: number): string =>
  text.length <= length
    ? text
    : `${text.slice(0, length).replace(/\p{Surrogate}$/u, "")}\n[cut: ${text.length} characters in all]`;
