import { boundedFiles, type FileRef, namesOfFiles } from "../../contract/file-ref.ts";
import type { StepResponse, ToolResult } from "../../model/index.ts";

/** The completed steps of a turn. */
interface StepsDone {
  response(step: number): Promise<StepResponse | undefined>;
  call(step: number, index: number): Promise<{ readonly result: ToolResult } | string>;
}

/** The files of the completed calls of a turn, before the step `until`; they stay readable if the turn never ended. */
export const journaledFiles = async (journal: StepsDone, until = Infinity): Promise<FileRef[]> => {
  const files: FileRef[] = [];
  for (let step = 0; step < until; step++) {
    const response = await journal.response(step);
    if (response === undefined) break;
    const calls = await Promise.all(response.toolCalls.map((_, index) => journal.call(step, index)));
    files.push(...calls.flatMap((call) => (typeof call === "object" ? (call.result.files ?? []) : [])));
  }
  return files;
};

/** The answer with the files that it sends; its text names those that one reply has no room for. */
export const withFiles = (
  finalText: string,
  files: readonly FileRef[],
): { readonly finalText: string; readonly files: FileRef[] } => {
  const { sent, left } = boundedFiles(files);
  const note = `_Not sent, because one answer has a limited number and size of files: ${namesOfFiles(left)}_`;
  return { finalText: left.length === 0 ? finalText : [finalText, note].join("\n\n").trim(), files: sent };
};
