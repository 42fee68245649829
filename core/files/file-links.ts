import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { FileRef } from "../contract/file-ref.ts";
import { AgentReply } from "../contract/messages/agent-reply.ts";
import { Conversation, conversationKey } from "../contract/messages/conversation.ts";
import type { Clock } from "../contract/ports/clock.ts";
import { collection, keyOf, type Store } from "../contract/ports/store.ts";
import { createOrRead, update } from "../contract/ports/update.ts";
import { stableId } from "../lib/index.ts";

/** How long the links of a reply can be opened. */
export const LINK_TTL_MS = 24 * 3_600_000;

/** The links to the files of one reply, for the readers of one conversation. */
const FileLinks = z.looseObject({
  /** Unguessable; a retry of the delivery finds the same one. */
  secret: z.string().min(1),
  files: z.array(FileRef),
  /** The reply without its text, to decide again who may see it when a link is opened. */
  reply: AgentReply,
  target: Conversation,
  /** Wall clock, milliseconds. */
  expiresAt: z.number(),
  isRevoked: z.boolean().optional(),
});
type FileLinks = z.infer<typeof FileLinks>;

const links = collection("file-links", FileLinks, { ttlMs: LINK_TTL_MS });

const linkId = (replyId: string, target: Conversation): string => stableId("link", replyId, conversationKey(target));

interface LinkDeps {
  readonly store: Store;
  readonly clock: Pick<Clock, "now">;
  readonly newSecret: () => string;
}

/** Creates the links of a reply once per conversation. The path of a file; undefined if the links were revoked. */
export const linkFiles = async (
  { store, clock, newSecret }: LinkDeps,
  { actions: _, data: __, files = [], ...reply }: AgentReply,
  target: Conversation,
): Promise<((file: FileRef) => string) | undefined> => {
  const id = linkId(reply.id, target);
  const expiresAt = clock.now() + LINK_TTL_MS;
  const fresh: FileLinks = { secret: newSecret(), files, reply: { ...reply, markdown: "" }, target, expiresAt };
  const { value } = await createOrRead(store, keyOf(links, id), fresh);
  if (value.isRevoked) return undefined;
  return (file) => `${id}.${value.secret}/${value.files.findIndex((each) => each.id === file.id)}`;
};

export type OpenedLink = Pick<FileLinks, "reply" | "target"> & { readonly file: FileRef };

/** The file that a path names; undefined if it is unknown, expired or revoked. */
export const openLink = async (
  { store, clock }: Pick<LinkDeps, "store" | "clock">,
  token: string,
  index: string,
): Promise<OpenedLink | undefined> => {
  const [id = "", secret = ""] = token.split(".");
  if (!/^link-[0-9a-f]+$/.test(id)) return undefined;
  const found = (await store.get(keyOf(links, id)))?.value;
  if (found === undefined || !isSame(found.secret, secret)) return undefined;
  const file = /^\d{1,3}$/.test(index) ? found.files[Number(index)] : undefined;
  if (file === undefined || found.isRevoked || found.expiresAt <= clock.now()) return undefined;
  return { file, reply: found.reply, target: found.target };
};

const isSame = (stored: string, given: string): boolean =>
  stored.length === given.length && timingSafeEqual(Buffer.from(stored), Buffer.from(given));

/** The reply whose links a conversation has; undefined if there are none. */
export const linkedReply = async (
  store: Store,
  replyId: string,
  target: Conversation,
): Promise<AgentReply | undefined> => (await store.get(keyOf(links, linkId(replyId, target))))?.value.reply;

/** Revokes the links of a reply in one conversation. Idempotent. */
export const revokeLinks = async (store: Store, replyId: string, target: Conversation): Promise<void> => {
  await update(store, keyOf(links, linkId(replyId, target)), (known) =>
    known === undefined || known.isRevoked ? known : { ...known, isRevoked: true },
  );
};
