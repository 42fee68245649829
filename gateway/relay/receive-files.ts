import type { AttachmentAdapter } from "../../adapters/contract/abilities.ts";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { FileFetch } from "../../core/contract/messages/file-fetch.ts";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import { type FromPerson, MAX_READ_FILES } from "../../core/contract/messages/user-message.ts";
import { ack, type Consumer, type Outcome, type Received } from "../../core/contract/ports/bus.ts";
import { fileProblem, problemFields } from "../../core/contract/texts/file-problem.ts";
import { english } from "../../core/contract/texts/texts.ts";
import { errorText } from "../../core/contract/texts/told-error.ts";
import {
  NotFetched,
  receivedFileId,
  receiveFile,
  settleReceived,
  shownName,
  sizeText,
} from "../../core/files/index.ts";
import { withinDeadline } from "../../core/lib/index.ts";
import type { RelayContext } from "./context.ts";

/** Downloads and documents that one gateway handles at once on a channel. */
const CONCURRENCY = 8;
/** A server that sends its bytes too slowly counts as unavailable. */
const FETCH_WITHIN_MS = 60_000;
/** An unavailable server is retried for this long, and at least this often after a restart. */
const RETRY_FOR_MS = 60_000;
const MIN_ATTEMPTS = 3;
const RETRY_MS = 2_000;
/** Files are refused before the disk is too full for messages (R3). */
const MIN_FREE_BYTES = 200_000_000;
const DAY_MS = 24 * 3_600_000;

/** Queues the fetching of a message's files. Stored before the message, which then names the files that core awaits. */
export const requestFiles =
  ({ bus }: Pick<RelayContext, "bus">) =>
  async <M extends FromPerson>(message: M): Promise<M> => {
    if (message.kind !== "message") return message;
    const { tenant, agent, account, conversation, traceId } = message;
    const attachments = message.attachments.map((attachment, index) =>
      index < MAX_READ_FILES ? { ...attachment, file: receivedFileId(message, index) } : attachment,
    );
    const { id: accountId, anonymous } = account;
    for (const attachment of attachments) {
      const { file: id } = attachment;
      if (id === undefined) continue;
      const sender = { id: accountId, ...(anonymous !== undefined && { anonymous }) };
      // One file of an account at a time, so that the files of one person do not take all places.
      const options = { id, key: accountId };
      const fetch: FileFetch = { id, tenant, agent, account: sender, attachment, traceId };
      await bus.publish(subjectsOf(tenant).fileFetch(conversation.channel), fetch, options);
    }
    return { ...message, attachments };
  };

/** Fetches the files of a channel's messages through its adapter, stores and reads them, and notifies core. */
export const startReceivingFiles = (context: RelayContext, adapter: AttachmentAdapter): Promise<Consumer> => {
  const { bus, store, tenant, logger } = context;
  const { channel } = adapter;
  const settled = ({ agent, id }: FileFetch) => bus.signal(subjectsOf(tenant).fileReceived(agent), { id });
  return bus.consume(
    subjectsOf(tenant).fileFetch(channel),
    {
      durable: `files-${channel}`,
      concurrency: CONCURRENCY,
      // Also for a file that crashes its process each time: its message is answered without it.
      async onDeadLetter(fetch) {
        if (fetch === undefined) return;
        const name = shownName(fetch.attachment.name);
        const type = { mediaType: "application/octet-stream", label: "file" };
        const problem = problemFields(fileProblem("failedOften", name));
        await settleReceived(store, { id: fetch.id, name, ...type, bytes: 0, state: "failed", ...problem });
        settled(fetch);
      },
    },
    async (fetch, received) => {
      const outcome = await receive(context, adapter, fetch, received);
      if (outcome !== ack) return outcome;
      logger.debug({ channel, file: fetch.id, traceId: fetch.traceId }, "file received");
      settled(fetch);
      return ack;
    },
  );
};

const receive = async (
  context: RelayContext,
  adapter: AttachmentAdapter,
  request: FileFetch,
  received: Received,
): Promise<Outcome> => {
  const { store, checkpoint, clock, logger, files } = context;
  const mayRetry = received.attempt < MIN_ATTEMPTS || clock.now() - received.publishedAt < RETRY_FOR_MS;
  const deps = { store, checkpoint, ttlMs: files.keepDays * DAY_MS };
  try {
    await receiveFile(deps, request, () => fetchBytes(context, adapter, request, mayRetry));
    return ack;
  } catch (error) {
    if (!(error instanceof FetchAgain)) throw error;
    const { channel } = adapter;
    logger.info({ channel, file: request.id, error: error.message }, "could not fetch attachment, retrying");
    return { retryInMs: RETRY_MS };
  }
};

class FetchAgain extends Error {}

const fetchBytes = async (
  context: RelayContext,
  adapter: AttachmentAdapter,
  { id, account, attachment }: FileFetch,
  mayRetry: boolean,
): Promise<Uint8Array> => {
  const { clock, logger, files, personBudget } = context;
  const { bytes: announced = 0, counted = false } = attachment;
  const name = shownName(attachment.name);
  const tooLarge = () => new NotFetched(fileProblem("tooLarge", name, sizeText(files.maxBytes)));
  if (announced > files.maxBytes) throw tooLarge();
  const uploader = { id: account.id, isAnonymous: account.anonymous === true };
  if (!counted) await personBudget?.check(uploader, Math.max(1, announced)).catch(refusedByBudget(name));
  await requireSpace(context, name);
  const fetching = withinDeadline(clock, FETCH_WITHIN_MS, adapter.fetchAttachment(attachment, files.maxBytes), () => {
    throw new AppError("unavailable", `the file was not sent within ${FETCH_WITHIN_MS} ms`);
  });
  const bytes: unknown = await fetching.catch((error: unknown) => {
    const code = error instanceof AppError ? error.code : "unavailable";
    if (code === "too-large") throw tooLarge();
    const refusal = REFUSALS[code];
    if (refusal === undefined && mayRetry) throw new FetchAgain(messageOf(error));
    logger.warn({ channel: adapter.channel, file: id, error: messageOf(error) }, "could not fetch attachment");
    throw new NotFetched(fileProblem(refusal ?? "unavailable", name));
  });
  // An adapter from outside may return anything.
  if (!(bytes instanceof Uint8Array)) throw new NotFetched(fileProblem("noFile", name));
  if (bytes.length > files.maxBytes) throw tooLarge();
  if (!counted) await personBudget?.take(uploader, bytes.length).catch(refusedByBudget(name));
  return bytes;
};

/** Errors for which a retry is useless. */
const REFUSALS: Readonly<Record<string, "gone" | "forbidden" | "unknown">> = {
  "not-found": "gone",
  forbidden: "forbidden",
  "bad-input": "unknown",
};

const refusedByBudget =
  (name: string) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || error.code !== "rate-limited") throw error;
    const inEnglish = english.files.problems.overBudget(name, messageOf(error));
    throw new NotFetched(fileProblem("overBudget", name, errorText(error, english)), inEnglish);
  };

const requireSpace = async ({ freeBytes, files }: RelayContext, name: string): Promise<void> => {
  if (freeBytes === undefined || (await freeBytes()) - files.maxBytes >= MIN_FREE_BYTES) return;
  throw new NotFetched(fileProblem("diskFull", name));
};
