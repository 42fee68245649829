import type { Capabilities, Delivery } from "../../../adapters/contract/channel-adapter.ts";
import type { DeliveryFailure } from "../../../adapters/contract/delivery-failed.ts";
import type { FileLimits, OutgoingFile } from "../../../adapters/contract/outgoing-file.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import { type FileRef, sizeOfFile } from "../../../core/contract/file-ref.ts";
import type { AgentReply, ReplyAction } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { readFile } from "../../../core/files/index.ts";
import type { RelayContext } from "../context.ts";
import { readerTexts } from "../reader-texts.ts";

type Deps = Pick<RelayContext, "store" | "fileLinks" | "localeOn">;

/** The files of a reply for one target: groups that the platform takes, and a text with links to the others. */
export interface PlacedFiles {
  /** One message each. */
  readonly groups: readonly (readonly OutgoingFile[])[];
  readonly linked: LinkedFiles;
}

export interface LinkedFiles {
  /** Empty: there is nothing to link. */
  readonly markdown: string;
  /** The button that revokes the links. */
  readonly actions: readonly ReplyAction[];
}

const NONE: LinkedFiles = { markdown: "", actions: [] };

export const placeFiles = async (
  deps: Deps,
  { files: limits }: Pick<Capabilities, "files">,
  reply: AgentReply,
  target: Conversation,
): Promise<PlacedFiles> => {
  const { files = [] } = reply;
  if (files.length === 0) return { groups: [], linked: NONE };
  const native = limits === undefined ? [] : files.filter((file) => takes(limits, file));
  const others = files.filter((file) => !native.includes(file));
  const groups = limits === undefined ? [] : grouped(native, limits.maxCount);
  return {
    groups: groups.map((group) => group.map((file) => outgoing(deps.store, file))),
    linked: await linkedFiles(deps, reply, target, others),
  };
};

const takes = ({ maxBytes, accepts }: FileLimits, { bytes, mediaType }: FileRef): boolean =>
  bytes > 0 && bytes <= maxBytes && accepts?.(mediaType) !== false;

const grouped = (files: readonly FileRef[], size: number): FileRef[][] =>
  Array.from({ length: Math.ceil(files.length / size) }, (_, index) => files.slice(index * size, (index + 1) * size));

const outgoing = (store: Store, file: FileRef): OutgoingFile => ({
  name: file.name,
  mediaType: file.mediaType,
  bytes: file.bytes,
  ref: file,
  async read() {
    const content = await readFile(store, file);
    if (content === undefined) throw new AppError("not-found", `"${file.name}" is no longer stored`);
    return content;
  },
});

/** A line per file, with a link if the gateway has an address that people can open. Idempotent. */
export const linkedFiles = async (
  deps: Deps,
  reply: AgentReply,
  target: Conversation,
  files: readonly Pick<OutgoingFile, "name" | "bytes" | "ref">[] | readonly FileRef[],
): Promise<LinkedFiles> => {
  if (files.length === 0) return NONE;
  const { fileLinks } = deps;
  const { links } = (await readerTexts(deps, reply, target)).files;
  const linkTo = await fileLinks?.(reply, target);
  const lines = files.map((file) => {
    const ref = "id" in file ? file : file.ref;
    const name = plain(file.name);
    const size = sizeOfFile(file.bytes);
    if (file.bytes === 0) return `📎 ${links.empty(name)}`;
    return linkTo === undefined || ref === undefined
      ? `📎 ${name} (${size})`
      : `📎 [${name}](${linkTo(ref)}) (${size})`;
  });
  const isLinked = linkTo !== undefined && files.some(({ bytes }) => bytes > 0);
  const note = isLinked ? links.goodFor : fileLinks === undefined ? links.noAddress : links.revoked;
  const actions = isLinked ? [{ name: "revoke", label: links.revokeButton, value: reply.id }] : [];
  return { markdown: [...lines, note].join("\n"), actions };
};

/** The part of a platform that refused the files, as a text with links to them. */
export const asLinks = async (deps: Deps, { files = [], ...part }: Delivery): Promise<Delivery> => {
  const isGone = await Promise.all(files.map(hasExpired));
  const rest = files.filter((_, index) => !isGone[index]);
  const { links } = (await readerTexts(deps, part.reply, part.target)).files;
  const gone = files.filter((_, index) => isGone[index]).map(({ name }) => `📎 ${links.gone(plain(name))}`);
  const { markdown, actions } = await linkedFiles(deps, part.reply, part.target, rest);
  const text = [part.part.markdown, gone.join("\n"), markdown].filter((each) => each !== "").join("\n\n");
  const reply = { ...part.reply, actions: [...(part.reply.actions ?? []), ...actions] };
  return { ...part, reply, part: { ...part.part, markdown: text } };
};

/** Another error than "not-found" says nothing about the file. */
const hasExpired = (file: OutgoingFile): Promise<boolean> =>
  file.read().then(
    () => false,
    (error: unknown) => error instanceof AppError && error.code === "not-found",
  );

/** Whether a channel refused a part because of its files. */
export const refusesFiles = ({ files }: Delivery, reason: DeliveryFailure | undefined): boolean =>
  files !== undefined && (reason === "rejected" || reason === "forbidden");

/** Escapes mark-up: a tool or another agent chose the name. */
const plain = (text: string): string => text.replace(/[\\`*_~[\]<>|#()!]/g, "\\$&");
