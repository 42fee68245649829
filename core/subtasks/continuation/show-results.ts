import type { Artifacts, Subtask } from "../../contract/messages/subtask.ts";
import { cutToBytes } from "../../lib/index.ts";
import { describeChanges } from "../../workspaces/index.ts";

/** A subtask in a list of results. `subtask` is undefined if its record has expired or is corrupt. */
export interface Reported {
  readonly id: string;
  readonly name: string;
  /** True if it missed the ceiling, even if it has ended since. */
  readonly timedOut: boolean;
  readonly subtask: Subtask | undefined;
}

const MAX_BYTES = 120_000;

/** Renders results with name and outcome, for the model and as fallback text for people. */
export const showResults = (reported: readonly Reported[], maxBytes = MAX_BYTES): string =>
  reported.map((one) => showResult(one, Math.floor(maxBytes / reported.length))).join("\n\n");

const showResult = ({ id, name, timedOut, subtask }: Reported, maxBytes: number): string =>
  `### ${name} (${id}): ${outcomeOf(timedOut, subtask)}\n${cutToBytes(textOf(timedOut, subtask), Math.max(500, maxBytes))}`;

export const outcomeOf = (timedOut: boolean, subtask: Subtask | undefined): string => {
  if (timedOut || subtask?.result?.status === "timeout") return "timed out";
  if (subtask?.result?.status === "partial") return "partly done";
  return subtask?.status ?? "lost";
};

const textOf = (timedOut: boolean, subtask: Subtask | undefined): string => {
  if (timedOut || subtask?.result?.status === "timeout")
    return ["It was not done in time.", lastNote(subtask)].filter(Boolean).join(" ");
  const { output = "", error = "", artifacts } = subtask?.result ?? {};
  const changes = artifacts ? changesOf(artifacts) : "";
  return [output, error, changes].filter((text) => text.trim() !== "").join("\n\n") || "It gave no result.";
};

const MAX_NAMED = 20;

const changesOf = (artifacts: Artifacts): string => {
  const { files, changed } = artifacts;
  if (files === 0) return "";
  const more = files > MAX_NAMED ? ", …" : "";
  return `In its workspace: ${describeChanges(artifacts)} (${changed.slice(0, MAX_NAMED).join(", ")}${more}).`;
};

const lastNote = (subtask: Subtask | undefined): string =>
  subtask?.note === undefined ? "" : `Its last word was: ${subtask.note}`;
