import type { Conversation } from "../contract/messages/conversation.ts";
import { askerOf, canSee, mayContinue, readRepliedTo } from "../delivery/index.ts";
import { type PlacedReply, readPlacedReply, readPosted } from "../origin/index.ts";
import { promptOfRun } from "../schedules/index.ts";
import type { HistoryEntry } from "../sessions/index.ts";
import { finalIdOf } from "../turns/index.ts";
import type { Command, CommandAnswer, CommandCall } from "./command.ts";
import { explain } from "./explain/explain.ts";
import { workTree } from "./explain/work-tree.ts";
import { reportAction } from "./report.ts";

const UNKNOWN =
  "I found no message here that I sent on my own, such as a reminder or a late result. " +
  "To ask about an older one, reply to it with `/why` or press its button.";

/** Explains a proactive message (O13). */
export const why: Command = {
  name: "why",
  needs: "talk",
  menu: {
    description: "Why I sent a message, and from which work it came",
    argument: { name: "message", description: "Its link or id; empty: the last one" },
  },
  usage: "why [id]",
  summary: "why I sent a message on my own: the last one, or the one you reply to",
  privately: true,
  async run(call): Promise<CommandAnswer> {
    const { deps, message } = call;
    const found = await findReplies(call);
    // A caller outside the audience gets the same answer as for an unknown message.
    const isVisible = await Promise.all(found.map((reply) => mayContinue(deps.store, reply, message)));
    const visible = found.filter((_, index) => isVisible[index]);
    if (visible.length === 0) return { markdown: UNKNOWN };
    const texts = visible.slice(0, MAX_EXPLAINED).map((reply) => explained(call, reply));
    const [only] = visible.length === 1 ? visible : [];
    return {
      markdown: (await Promise.all(texts)).join("\n\n"),
      ...(only && { actions: [reportAction(only.replyId)] }),
    };
  },
};

/** Limit for a digest, whose items also have a button each. */
const MAX_EXPLAINED = 5;

const explained = async (call: CommandCall, reply: PlacedReply): Promise<string> => {
  const { deps, message } = call;
  const known = {
    reply,
    asked: await askedIn(call, reply),
    work: await workTree(deps.store, message, reply.cause?.steps ?? []),
    conversations: await visibleConversations(call, reply),
  };
  return explain(known, message.account, deps.clock.now());
};

/** The message with this id, else those replied to, else the last one in this session. */
const findReplies = async ({ deps, message, args, record }: CommandCall): Promise<readonly PlacedReply[]> => {
  const { store, history } = deps;
  const readAll = async (replyIds: readonly string[]) => {
    const all = await Promise.all(replyIds.map((replyId) => readPlacedReply(store, { ...message, replyId })));
    return all.filter((one) => one !== undefined);
  };
  // The argument is user input; no id of Mooring or of a platform is longer.
  if (args.length > MAX_ID_CHARS) return [];
  if (args !== "") {
    const named = await readAll([args]);
    return named.length > 0 ? named : readAll((await readPosted(store, message, args)).map(({ replyId }) => replyId));
  }
  const repliedTo = await readRepliedTo(store, message);
  if (repliedTo.length > 0) return readAll(repliedTo.map(({ replyId }) => replyId));
  const { entries } = await history.window(record.sessionId);
  return (await readAll(entries.slice(-MAX_SEARCHED).map(replyIdOf))).slice(-1);
};

const MAX_ID_CHARS = 500;
/** For older messages the caller replies to the message itself. */
const MAX_SEARCHED = 50;

const replyIdOf = (entry: HistoryEntry): string => (entry.kind === "said" ? entry.replyId : finalIdOf(entry.turnId));

const askedIn = async (
  { deps: { history } }: CommandCall,
  { origin, cause }: PlacedReply,
): Promise<string | undefined> => {
  if (origin.sessionId === null || cause === undefined) return undefined;
  const { entries } = await history.window(origin.sessionId);
  const root = entries.find((entry) => entry.kind === "turn" && entry.turnId === cause.rootTurnId);
  if (root?.kind !== "turn") return undefined;
  return origin.channel === "scheduled" ? promptOfRun(root.text) : root.text;
};

/** The conversations that show it, without other people's private ones. */
const visibleConversations = async (
  { deps: { store }, message, record }: CommandCall,
  { audience, places }: PlacedReply,
): Promise<Conversation[]> => {
  const asker = await askerOf(store, { ...message, audience });
  const isAsker = asker !== undefined && asker.id === record.asker.personId;
  return places
    .map(({ conversation }) => conversation)
    .filter(
      (conversation) =>
        conversation.kind === "shared" || (isAsker && canSee({ audience }, conversation, asker, () => true)),
    );
};
