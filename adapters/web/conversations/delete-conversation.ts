import { messageOf } from "../../../core/contract/app-error.ts";
import type { FromPerson } from "../../../core/contract/messages/user-message.ts";
import { isoTime } from "../../../core/contract/ports/clock.ts";
import type { AdapterContext } from "../../contract/adapter-context.ts";
import type { Inbox } from "../../contract/channel-adapter.ts";
import { kindFor } from "../../contract/text-command.ts";
import type { ReplyFiles } from "../files/reply-files.ts";
import type { VisitorFiles } from "../files/visitor-files.ts";
import type { ConversationList, Deletion } from "../history/conversation-list.ts";
import type { LogEntry } from "../history/log-entry.ts";
import { roomNamed } from "../history/room-address.ts";
import { messageIdPrefix } from "../inbound.ts";
import type { LoggedFrame } from "../protocol.ts";
import type { OpenRooms } from "../server/open-rooms.ts";

export interface DeleteConversationDeps {
  readonly context: AdapterContext;
  readonly conversations: ConversationList;
  readonly rooms: OpenRooms;
  readonly files: VisitorFiles;
  readonly replyFiles: ReplyFiles;
  readonly inbox: Inbox;
}

/** Part of no client's id, so that the answers to these commands are recognised and not shown. */
export const DELETION_PREFIX = "~delete:";

/**
 * Deletes the log and the files of a conversation, and tells core to delete its sessions. Every step is idempotent; the
 * mark in the list stays until all are done, so that another process completes it after a crash.
 */
export const deleteConversation = async (
  deps: DeleteConversationDeps,
  visitor: string,
  id: string,
  deletion: Deletion,
): Promise<void> => {
  const { context, conversations, rooms, files, replyFiles, inbox } = deps;
  const room = roomNamed(visitor, id);
  const command = (name: string, args: string): FromPerson => ({
    id: `${messageIdPrefix(context.channel, visitor)}${DELETION_PREFIX}${id}:${deletion.at}:${name}`,
    tenant: context.tenant,
    agent: context.agent,
    conversation: rooms.conversation(room),
    account: { id: visitor, name: deletion.name, ...(deletion.anonymous && { anonymous: true }) },
    text: `/${name} ${args}`.trimEnd(),
    attachments: [],
    sentAt: isoTime(deletion.at),
    traceId: context.newId(),
    ...kindFor({ name, args }),
  });
  await inbox.accept(command("cancel", "answer"));
  await inbox.accept(command("delete-conversation", "confirm"));
  await rooms.log(room).deleteAll(async (entry) => {
    const { uploaded, sent } = filesIn(entry);
    await files.delete(visitor, uploaded);
    await replyFiles.withdraw(visitor, sent);
  });
  await conversations.endDeletion(visitor, id);
};

/** Completes the deletions that a stopped process has left. */
export const resumeDeletions = async (deps: DeleteConversationDeps): Promise<void> => {
  const { conversations, context } = deps;
  try {
    for await (const { visitor, id, deletion } of conversations.unfinishedDeletions()) {
      await deleteConversation(deps, visitor, id, deletion);
    }
  } catch (error) {
    const { channel, logger } = context;
    logger.warn(
      { channel, error: messageOf(error) },
      "could not complete the deletion of a conversation; the next start retries",
    );
  }
};

const filesIn = ({ frame }: LogEntry): { uploaded: string[]; sent: string[] } => {
  const logged = frame as LoggedFrame;
  const idsOf = (files: readonly { readonly id: string }[] = []) => files.map(({ id }) => id);
  if (logged.type === "said") return { uploaded: idsOf(logged.attachments), sent: [] };
  return { uploaded: [], sent: idsOf(logged.files) };
};
