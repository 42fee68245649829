import { type FileRef, namesOfFiles } from "../../contract/file-ref.ts";
import type { Artifacts, Subtask } from "../../contract/messages/subtask.ts";
import type { SyntheticMessageOf } from "../../contract/messages/user-message.ts";
import type { Store } from "../../contract/ports/store.ts";
import { english } from "../../contract/texts/texts.ts";
import { cutToBytes } from "../../lib/index.ts";
import { NOTHING_TO_SAY } from "../../turns/index.ts";
import { Journal, journaledFiles } from "../../turns/record/index.ts";
import type { TurnPrompt } from "../../turns/source/index.ts";
import { describeChanges } from "../../workspaces/index.ts";
import { readOwner } from "../owner/owner-record.ts";
import { readSubtask, readSubtaskCached, undefinedIfCorrupt } from "../record/subtask-record.ts";

/** Built when the turn runs. A retry gets the same text, because ended subtasks never change. */
export const resultsPrompt = async (
  store: Store,
  message: SyntheticMessageOf<"synthesis" | "amendment">,
): Promise<TurnPrompt> => {
  const { type, origin, owner, data } = message.synthetic;
  const reported = await Promise.all(
    data.subtasks.map(async (listed): Promise<Reported> => {
      const subtask = await undefinedIfCorrupt(readSubtaskCached(store, { ...message, id: listed.id }));
      return { ...listed, subtask };
    }),
  );
  const results = showResults(reported);
  // The origin of work for another agent is the prompt of that agent's person, which this agent must not see (R7).
  const request = owner.worksFor?.kind === "peer-call" ? [] : [`The request: ${origin.promptSummary}`];
  const text = [type === "amendment" ? LATE_RESULTS : ALL_RESULTS, ...request, results];
  const ofTurn = data.turn === undefined ? [] : await journaledFiles(new Journal(store, data.turn, false));
  const files = [...ofTurn, ...filesOfResults(reported)];
  return { text: text.join("\n\n"), fallbackText: results, mustReply: true, obsolete: false, files };
};

/** A turn about the message of one subtask. */
export const wakeUpPrompt = async (store: Store, message: SyntheticMessageOf<"wake-up">): Promise<TurnPrompt> => {
  const { type, priority, subtask: id, name, content } = message.synthetic.data;
  const subtask = await readSubtask(store, { ...message, id });
  if (type === "completion") {
    const result = showResults([{ id, name, timedOut: false, subtask }]);
    const obsolete = subtask !== undefined && (await wasReturned(store, subtask));
    const files = subtask?.result?.files ?? [];
    return { text: `${ONE_RESULT}\n\n${result}`, fallbackText: result, mustReply: true, obsolete, files };
  }
  const isOpen = subtask?.status === "running" && subtask.question !== undefined;
  return {
    text: `${messageHeading({ type, priority, id, name })}\n${content}\n\n${type === "error" ? ERROR : QUESTION}`,
    fallbackText: `**${name}**: ${content}`,
    mustReply: false,
    obsolete: type !== "error" && !isOpen,
  };
};

/** True if a tool call returned the result while this turn was queued: the owner must not get it twice. */
const wasReturned = async (store: Store, { tenant, agent, owner, parentTurnId, id }: Subtask): Promise<boolean> => {
  const { batches } = await readOwner(store, { tenant, agent, ownerId: owner.ownerId });
  return batches[parentTurnId]?.members.some((member) => member.id === id && member.awaitedBy !== undefined) ?? false;
};

const ALL_RESULTS =
  "[results of delegated work] All delegated work has ended. Write one answer to the request from these results. Say " +
  "what is missing or failed. Do not mention subtasks or their ids.";
const LATE_RESULTS =
  "[late results of delegated work] These results arrived after your answer. Say briefly what they add to it or " +
  "change in it. Do not repeat the answer.";
const ONE_RESULT = "[result of delegated work] Report this result to the person.";
const QUESTION =
  "If you know the answer, send it with message_subtask (type answer). Otherwise ask the person, who answers in their " +
  "next message.";
const ERROR = `The subtask continues if it can. Tell the person if they should know, or call ${NOTHING_TO_SAY}.`;

interface Heading {
  readonly type: string;
  readonly priority?: string | undefined;
  readonly id: string;
  readonly name: string;
}

/** First line of a subtask message in the prompt of its owner (S6). */
export const messageHeading = ({ type, priority = "normal", id, name }: Heading): string =>
  `[${type} from ${id} "${name}"${priority === "normal" ? "" : `, priority ${priority}`}]`;

/** A subtask in a list of results. `subtask` is undefined if its record has expired or is corrupt. */
interface Reported {
  readonly id: string;
  readonly name: string;
  /** True if it missed the ceiling, even if it has ended since. */
  readonly timedOut: boolean;
  readonly subtask: Subtask | undefined;
}

/** The files of the results, in their order; the answer that reports the results sends them. */
export const filesOfResults = (reported: readonly Pick<Reported, "timedOut" | "subtask">[]): FileRef[] =>
  reported.flatMap(({ timedOut, subtask }) => (timedOut ? [] : (subtask?.result?.files ?? [])));

const MAX_RESULTS_BYTES = 120_000;

/** Renders results with name and outcome, for the model and as fallback text for people. */
export const showResults = (reported: readonly Reported[], maxBytes = MAX_RESULTS_BYTES): string =>
  reported.map((one) => showResult(one, Math.floor(maxBytes / reported.length))).join("\n\n");

const showResult = ({ id, name, timedOut, subtask }: Reported, maxBytes: number): string =>
  `### ${name} (${id}): ${english.outcomes[outcomeOf(timedOut, subtask)]}\n${cutToBytes(textOf(timedOut, subtask), Math.max(500, maxBytes))}`;

/** The key of the outcome's text. */
export const outcomeOf = (
  timedOut: boolean,
  subtask: Subtask | undefined,
): Subtask["status"] | "timeout" | "partial" | "lost" => {
  if (timedOut || subtask?.result?.status === "timeout") return "timeout";
  if (subtask?.result?.status === "partial") return "partial";
  return subtask?.status ?? "lost";
};

const textOf = (timedOut: boolean, subtask: Subtask | undefined): string => {
  if (timedOut || subtask?.result?.status === "timeout")
    return ["It was not done in time.", lastNote(subtask)].filter(Boolean).join(" ");
  const { output = "", error = "", artifacts, files = [] } = subtask?.result ?? {};
  const changes = artifacts ? changesOf(artifacts) : "";
  const made = files.length === 0 ? "" : `Files, which people get with your answer: ${namesOfFiles(files)}`;
  return [output, error, changes, made].filter((text) => text.trim() !== "").join("\n\n") || "It returned no result.";
};

const MAX_NAMED = 20;

const changesOf = (artifacts: Artifacts): string => {
  const { files, changed } = artifacts;
  if (files === 0) return "";
  const more = files > MAX_NAMED ? ", …" : "";
  return `In its workspace: ${describeChanges(artifacts)} (${changed.slice(0, MAX_NAMED).join(", ")}${more}).`;
};

const lastNote = (subtask: Subtask | undefined): string =>
  subtask?.note === undefined ? "" : `Its last status: ${subtask.note}`;
