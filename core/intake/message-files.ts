import type { FileRef } from "../contract/file-ref.ts";
import { type Attachment, type FromPerson, MAX_READ_FILES } from "../contract/messages/user-message.ts";
import type { Store } from "../contract/ports/store.ts";
import { type FileProblem, fileProblem, problemFields, problemText } from "../contract/texts/file-problem.ts";
import { english, type Texts } from "../contract/texts/texts.ts";
import {
  ATTACHMENT_PAGE_CHARS,
  addToSession,
  fileLabel,
  type NumberedFile,
  READ_ATTACHMENT,
  type ReceivedFile,
  readText,
  refOf,
  settleReceived,
  shownName,
  sizeText,
} from "../files/index.ts";
import { MAX_IMAGE_BYTES } from "../model/index.ts";
import type { Agent } from "../turns/index.ts";
import type { TurnRecord } from "../turns/record/index.ts";

/** The files of a message, in the form that the model reads. */
export interface MessageFiles {
  /** One text per attachment, with the content of documents. */
  readonly texts: readonly string[];
  /** The same with the beginning of long documents only, for the prompts of later turns. */
  readonly shortTexts: readonly string[];
  readonly images: readonly FileRef[];
  /** Why files cannot be read, in sentences for the person. */
  readonly problems: readonly string[];
}

/** Limits per file and per message; a smaller context has a smaller share. */
const FILE_CHARS = 2 * ATTACHMENT_PAGE_CHARS;
const ALL_CHARS = 60_000;
/** Of the text of each file, in later turns. */
const HISTORY_CHARS = 1_500;

type FilesAgent = Pick<Agent, "model" | "contextTokens" | "files">;

/**
 * Gives the files of a message to its session, and their content to its prompt. A repeat after a crash has the same
 * result: a file that is missing now is settled as missing.
 */
export const filesOfMessage = async (
  store: Store,
  agent: FilesAgent,
  message: FromPerson,
  { sessionId }: Pick<TurnRecord, "sessionId">,
  texts: Texts = english,
): Promise<MessageFiles> => {
  const received = await Promise.all(message.attachments.map((attachment) => settled(store, attachment)));
  const readable = received.flatMap((file) => (file?.state === "ready" ? [file] : []));
  const added = await addToSession(store, sessionId, readable, agent.files.keepDays * DAY_MS);
  let charsLeft = Math.min(ALL_CHARS, agent.contextTokens);
  const shown: ShownFile[] = [];
  for (const [index, attachment] of message.attachments.entries()) {
    const file = received[index];
    if (file === undefined) {
      shown.push(unfetched(attachment, index, texts));
      continue;
    }
    const numbered = added.find(({ id }) => id === file.id);
    const one =
      numbered === undefined ? unreadFile(file, texts) : await shownFile(store, agent, numbered, charsLeft, texts);
    charsLeft = Math.max(0, charsLeft - one.text.length);
    shown.push(one);
  }
  return {
    texts: shown.map(({ text }) => text),
    shortTexts: shown.map(({ shortText, text }) => shortText ?? text),
    images: shown.flatMap(({ image }) => image ?? []),
    problems: shown.flatMap(({ problem }) => problem ?? []),
  };
};

const DAY_MS = 24 * 3_600_000;

interface ShownFile {
  readonly text: string;
  readonly shortText?: string;
  readonly image?: FileRef;
  readonly problem?: string;
}

const settled = async (store: Store, { file: id, name: given }: Attachment): Promise<ReceivedFile | undefined> => {
  if (id === undefined) return undefined;
  const name = shownName(given);
  const problem = problemFields(fileProblem("late", name));
  const type = { mediaType: "application/octet-stream", label: "file" };
  return settleReceived(store, { id, name, ...type, bytes: 0, state: "failed", ...problem });
};

const shownFile = async (
  store: Store,
  agent: FilesAgent,
  file: NumberedFile,
  charsLeft: number,
  texts: Texts,
): Promise<ShownFile> => {
  const label = fileLabel(file, file.number);
  if (file.kind === "image") return shownImage(agent, file, label, texts);
  const { chars = 0, name } = file;
  const text = await readText(store, file, 0, Math.min(charsLeft, FILE_CHARS));
  if (text === undefined) return unread(name, fileProblem("expired", name), texts);
  const withText = (part: string) => [label, part, ...restOf(file, part.length), `[end of ${name}]`].join("\n");
  return {
    text: withText(text),
    ...(chars > HISTORY_CHARS && { shortText: withText(text.slice(0, HISTORY_CHARS)) }),
  };
};

const restOf = ({ number, chars = 0, isCut }: NumberedFile, shownChars: number): string[] => {
  if (shownChars >= chars) return isCut ? ["[the document is longer; the rest was not stored]"] : [];
  const page = Math.floor(shownChars / ATTACHMENT_PAGE_CHARS) + 1;
  return [`[${shownChars} of ${chars} characters; ${READ_ATTACHMENT} reads file ${number} from page ${page} on]`];
};

const shownImage = ({ model }: FilesAgent, file: NumberedFile, label: string, texts: Texts): ShownFile => {
  const { name, bytes } = file;
  if (!model.seesImages) return unread(name, fileProblem("noImages", name), texts);
  if (bytes <= MAX_IMAGE_BYTES) return { text: label, image: refOf(file) };
  return unread(name, fileProblem("imageTooLarge", name, sizeText(bytes), sizeText(MAX_IMAGE_BYTES)), texts);
};

/** The model reads the notice in English, also if the person got it in another language. */
const unread = (name: string, why: FileProblem, texts: Texts): ShownFile =>
  unreadFile({ name, ...problemFields(why) }, texts);

const unreadFile = (
  { name, problem, why }: Pick<ReceivedFile, "name" | "problem" | "why">,
  texts: Texts,
): ShownFile => {
  const sentence = problem ?? english.files.problems.unreadable(name);
  return {
    text: `[attached: ${name}, which you cannot read; the person already has this notice: ${sentence}]`,
    problem: (why && texts !== english ? problemText(why, texts) : undefined) ?? sentence,
  };
};

/** Messages of 0.1.0 carry the text of their files. */
const unfetched = ({ name: given, mediaType, text }: Attachment, index: number, texts: Texts): ShownFile => {
  const name = shownName(given);
  if (text !== undefined) return { text: `[attached: ${name} (${shownName(mediaType)})]\n${text}\n[end of ${name}]` };
  return index < MAX_READ_FILES
    ? unread(name, fileProblem("noFiles", name), texts)
    : unread(name, fileProblem("tooMany", name, String(MAX_READ_FILES)), texts);
};
