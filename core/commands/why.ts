import type { Conversation } from "../contract/conversation.ts";
import { askerOf } from "../delivery/asker-of.ts";
import { mayShow } from "../delivery/may-show.ts";
import { pointedAt } from "../origin/answered-work.ts";
import { explain } from "../origin/explain.ts";
import { mayContinue } from "../origin/may-continue.ts";
import { readShown } from "../origin/shown-record.ts";
import type { ToldRecord } from "../origin/told-record.ts";
import { readTold } from "../origin/told-record.ts";
import { workDone } from "../origin/work-done.ts";
import type { Command, CommandAnswer, CommandCall } from "./command.ts";

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
    const told = await findTold(call);
    // Who may not know of it hears the same as if there were no such message.
    if (told === undefined || !(await mayContinue(parts.store, told, message))) return { markdown: UNKNOWN };
    const { cause } = told;
    const explained = {
      told,
      asked: await askedIn(call, told),
      work: await workDone(parts.store, message, cause?.steps ?? []),
      places: await visiblePlaces(call, told),
    };
    return { markdown: explain(explained, message.account, parts.clock.now()) };
  },
};

const findTold = async ({ parts, message, args, record }: CommandCall): Promise<ToldRecord | undefined> => {
  const { store, history } = parts;
  const told = (replyId: string | undefined) =>
    replyId === undefined ? undefined : readTold(store, { ...message, replyId });
  // What a person types may be anything; no id of ours, or of a platform's, is so long.
  if (args.length > LONGEST_ID) return undefined;
  if (args !== "") return (await told(args)) ?? told((await readShown(store, message, args))?.replyId);
  const pointed = await pointedAt(store, message);
  if (pointed !== undefined) return told(pointed.replyId);
  const { entries } = await history.window(record.sessionId);
  const last = entries.findLast(({ kind }) => kind === "said");
  return told(last?.kind === "said" ? last.replyId : undefined);
};

const LONGEST_ID = 500;

const askedIn = async (
  { parts: { history } }: CommandCall,
  { origin, cause }: ToldRecord,
): Promise<string | undefined> => {
  if (origin.sessionId === null || cause === undefined) return undefined;
  const { entries } = await history.window(origin.sessionId);
  const root = entries.find((entry) => entry.kind === "turn" && entry.turnId === cause.rootTurnId);
  return root?.kind === "turn" ? root.text : undefined;
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
        conversation.kind === "shared" || (isAsker && mayShow({ audience }, conversation, asker, () => true)),
    );
};
