import { type Conversation, sameConversation } from "../contract/messages/conversation.ts";
import { askerOf, canSee, mayContinue, readRepliedTo } from "../delivery/index.ts";
import { type PlacedReply, readPlacedReply, readPosted } from "../origin/index.ts";
import { promptOfRun } from "../schedules/index.ts";
import type { HistoryEntry } from "../sessions/index.ts";
import { finalIdOf } from "../turns/record/index.ts";
import { type Command, type CommandAnswer, type CommandCall, callerOf } from "./command.ts";
import { type Explained, explain, explainPending } from "./explain/explain.ts";
import { pendingFor, pendingOf } from "./explain/pending-deliveries.ts";
import { workTree } from "./explain/work-tree.ts";
import { reportAction } from "./report.ts";

/** Explains a proactive message (O13). */
export const why: Command = {
  name: "why",
  needs: "talk",
  argument: "message",
  usage: "why [id]",
  privately: true,
  async run(call): Promise<CommandAnswer> {
    const { deps, message } = call;
    const { found, isLast } = await findReplies(call);
    // A caller outside the audience gets the same answer as for an unknown message.
    const isVisible = await Promise.all(found.map((reply) => mayContinue(deps.store, reply, message)));
    const visible = found.filter((_, index) => isVisible[index]);
    const texts = await Promise.all(visible.slice(0, MAX_EXPLAINED).map((reply) => explained(call, reply)));
    const missing = isLast ? await missingText(call, visible) : undefined;
    if (texts.length === 0 && missing === undefined) return { markdown: call.texts.why.unknown };
    const [only] = visible.length === 1 ? visible : [];
    return {
      markdown: [...texts, ...(missing === undefined ? [] : [missing])].join("\n\n"),
      ...(only && { actions: [reportAction(only.replyId, call.texts)] }),
    };
  },
};

/** Limit for a digest, whose items also have a button each. */
const MAX_EXPLAINED = 5;

const explained = async (call: CommandCall, reply: PlacedReply): Promise<string> => {
  const { deps, message, texts, viewer } = call;
  const known = {
    reply,
    asked: await askedIn(call, reply),
    work: await workTree(deps.store, message, reply.cause?.steps ?? [], texts),
    ...(await deliveriesOf(call, reply)),
  };
  return explain(known, viewer, deps.clock.now());
};

/** The caller's other messages that wait or failed. */
const missingText = async (call: CommandCall, explained: readonly PlacedReply[]): Promise<string | undefined> => {
  const { deps, viewer } = call;
  const pending = await pendingFor(call, await callerOf(call));
  const others = pending.filter(({ replyId }) => !explained.some((reply) => reply.replyId === replyId));
  return others.length === 0 ? undefined : explainPending(others, viewer, deps.clock.now());
};

interface FoundReplies {
  readonly found: readonly PlacedReply[];
  /** The caller named no message. */
  readonly isLast: boolean;
}

/** The message with this id, else those replied to, else the last one in this session. */
const findReplies = async ({ deps, message, args, record }: CommandCall): Promise<FoundReplies> => {
  const { store, history } = deps;
  const readAll = async (replyIds: readonly string[]) => {
    const all = await Promise.all(replyIds.map((replyId) => readPlacedReply(store, { ...message, replyId })));
    return all.filter((one) => one !== undefined);
  };
  // The argument is user input; no id of Mooring or of a platform is longer.
  if (args.length > MAX_ID_CHARS) return { found: [], isLast: false };
  if (args !== "") {
    const named = await readAll([args]);
    const posted = named.length > 0 ? [] : await readPosted(store, message, args);
    return { found: [...named, ...(await readAll(posted.map(({ replyId }) => replyId)))], isLast: false };
  }
  const repliedTo = await readRepliedTo(store, message);
  if (repliedTo.length > 0) return { found: await readAll(repliedTo.map(({ replyId }) => replyId)), isLast: false };
  const { entries } = await history.window(record.sessionId);
  return { found: (await readAll(entries.slice(-MAX_SEARCHED).map(replyIdOf))).slice(-1), isLast: true };
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

/** The conversations that show it, and its deliveries that wait or failed, without other people's private ones. */
const deliveriesOf = async (
  { deps: { store }, message, record }: CommandCall,
  reply: PlacedReply,
): Promise<Pick<Explained, "conversations" | "pending">> => {
  const { audience, places } = reply;
  const asker = await askerOf(store, { ...message, audience });
  const isAsker = asker !== undefined && asker.id === record.asker.personId;
  const mayKnow = (conversation: Conversation) =>
    conversation.kind === "shared" || (isAsker && canSee({ audience }, conversation, asker, () => true));
  const conversations = places.map(({ conversation }) => conversation).filter(mayKnow);
  const pending = await pendingOf(store, message, reply, mayKnow);
  // A resend may have succeeded while the failed attempt is still in the inbox.
  const isShown = (target: Conversation) => conversations.some((shownIn) => sameConversation(shownIn, target));
  return { conversations, pending: pending.filter(({ target }) => !isShown(target)) };
};
