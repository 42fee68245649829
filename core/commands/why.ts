import type { Conversation } from "../contract/conversation.ts";
import { askerOf, canSee, mayContinue, readRepliedTo } from "../delivery/index.ts";
import { readShown, readTold, type ToldRecord } from "../origin/index.ts";
import { promptOfRun } from "../schedules/index.ts";
import type { HistoryEntry } from "../sessions/index.ts";
import { finalIdOf } from "../turns/index.ts";
import type { Command, CommandAnswer, CommandCall } from "./command.ts";
import { explain } from "./explain.ts";
import { workTree } from "./work-tree.ts";

const UNKNOWN =
  "I know of no such message here. Answer a message of mine that came by itself with `why`, or press its button. " +
  "What I say when you write to me is the answer to what you wrote.";

/** Explains a message that nobody waited for (O13). */
export const why: Command = {
  name: "why",
  usage: "why <id>",
  summary:
    "what a message is about that came by itself: the one you answer, the one with this id, or the last one here",
  privately: true,
  async run(call): Promise<CommandAnswer> {
    const { parts, message } = call;
    const found = await findTold(call);
    // Who may not know of it hears the same as if there were no such message.
    const isFree = await Promise.all(found.map((told) => mayContinue(parts.store, told, message)));
    const free = found.filter((_, index) => isFree[index]);
    if (free.length === 0) return { markdown: UNKNOWN };
    const texts = free.slice(0, MOST_EXPLAINED).map((told) => explained(call, told));
    return { markdown: (await Promise.all(texts)).join("\n\n") };
  },
};

/** Of a digest. Each item has a button of its own. */
const MOST_EXPLAINED = 5;

const explained = async (call: CommandCall, told: ToldRecord): Promise<string> => {
  const { parts, message } = call;
  const known = {
    told,
    asked: await askedIn(call, told),
    work: await workTree(parts.store, message, told.cause?.steps ?? []),
    places: await visiblePlaces(call, told),
  };
  return explain(known, message.account, parts.clock.now());
};

/** The one with this id, those that are pointed at, or the last one here. */
const findTold = async ({ parts, message, args, record }: CommandCall): Promise<readonly ToldRecord[]> => {
  const { store, history } = parts;
  const told = async (replyIds: readonly string[]) => {
    const all = await Promise.all(replyIds.map((replyId) => readTold(store, { ...message, replyId })));
    return all.filter((one) => one !== undefined);
  };
  // What a person types may be anything; no id of ours, or of a platform's, is so long.
  if (args.length > LONGEST_ID) return [];
  if (args !== "") {
    const named = await told([args]);
    return named.length > 0 ? named : told((await readShown(store, message, args)).map(({ replyId }) => replyId));
  }
  const pointed = await readRepliedTo(store, message);
  if (pointed.length > 0) return told(pointed.map(({ replyId }) => replyId));
  const { entries } = await history.window(record.sessionId);
  return (await told(entries.slice(-LOOKED_AT).map(replyIdOf))).slice(-1);
};

const LONGEST_ID = 500;
/** Who wonders about something older points at it. */
const LOOKED_AT = 50;

/** What came by itself is told of; the answer to a message is not. */
const replyIdOf = (entry: HistoryEntry): string => (entry.kind === "said" ? entry.replyId : finalIdOf(entry.turnId));

const askedIn = async (
  { parts: { history } }: CommandCall,
  { origin, cause }: ToldRecord,
): Promise<string | undefined> => {
  if (origin.sessionId === null || cause === undefined) return undefined;
  const { entries } = await history.window(origin.sessionId);
  const root = entries.find((entry) => entry.kind === "turn" && entry.turnId === cause.rootTurnId);
  if (root?.kind !== "turn") return undefined;
  return origin.channel === "scheduled" ? promptOfRun(root.text) : root.text;
};

/** Where it was shown, without the private conversations of others. */
const visiblePlaces = async (
  { parts: { store }, message, record }: CommandCall,
  { audience, places }: ToldRecord,
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
