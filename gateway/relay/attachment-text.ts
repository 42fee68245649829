import type { AttachmentAdapter } from "../../adapters/contract/abilities.ts";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Attachment, FromPerson } from "../../core/contract/messages/user-message.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { withinDeadline } from "../../core/lib/index.ts";

/** Limits per file and per message: enough for a model, and small enough for a bus message. */
const FILE_BYTES = 256_000;
const FILE_CHARS = 20_000;
const ALL_CHARS = 60_000;
/** Some platforms wait only three seconds for the acknowledgement. */
const READ_WITHIN_MS = 1_500;

const TEXT_TYPE =
  /^(text\/.+|application\/(json|xml|yaml|x-yaml|toml|x-ndjson|javascript|sql|x-sh)|[^/]+\/[^/]+\+(json|xml|yaml))$/;

interface Deps {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Adds the content of text attachments to a message. An attachment that cannot be read in time keeps only its name. */
export const withAttachmentText = async <M extends FromPerson>(
  { clock, logger }: Deps,
  adapter: AttachmentAdapter,
  message: M,
): Promise<M> => {
  if (!message.attachments.some(isText)) return message;
  const texts = new Map<Attachment, string>();
  const read = async (attachment: Attachment): Promise<void> => {
    try {
      const bytes = await adapter.fetchAttachment(attachment, FILE_BYTES);
      texts.set(attachment, decode(bytes));
    } catch (error) {
      logger.info(
        { channel: adapter.channel, message: message.id, error: messageOf(error) },
        "could not read attachment",
      );
    }
  };
  const reading = Promise.all(message.attachments.filter(isText).map(read)).then(() => undefined);
  await withinDeadline(clock, READ_WITHIN_MS, reading, () =>
    logger.info({ channel: adapter.channel, message: message.id }, "attachments not read in time"),
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

/** Throws for binary content with a text media type. */
const decode = (bytes: Uint8Array): string => {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  if (text.includes("\0")) throw new AppError("bad-input", "the attachment is not text");
  return text;
};

const cut = (text: string, length: number): string =>
  text.length <= length
    ? text
    : `${text.slice(0, length).replace(/\p{Surrogate}$/u, "")}\n[cut: ${text.length} characters in all]`;
