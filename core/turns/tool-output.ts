import { messageOf } from "../contract/app-error.ts";
import type { WorkBudget } from "../contract/budget.ts";
import { type FileRef, safeFileName, safeMediaType } from "../contract/file-ref.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { Store } from "../contract/ports/store.ts";
import type { ToolFile, ToolOutput } from "../contract/tool.ts";
import { storeFile } from "../files/index.ts";
import { stableId } from "../lib/index.ts";
import type { ToolResult } from "../model/index.ts";

interface OutputDeps {
  readonly store: Store;
  readonly logger: Logger;
  /** The stored bytes count against the budgets of the work (R2). Absent: nothing limits them. */
  readonly budget?: WorkBudget | undefined;
}

/**
 * The output of a call in the form that the journal keeps: its files are stored, and named to the model. The call has
 * happened, so a file that cannot be stored is reported and does not fail it.
 */
export const keepOutput = async (
  deps: OutputDeps,
  output: string | ToolOutput,
  idempotencyKey: string,
): Promise<Pick<ToolResult, "output" | "files" | "shown">> => {
  if (typeof output === "string") return { output };
  const kept = await Promise.all(
    (output.files ?? []).map((file, index) => keepFile(deps, file, stableId("file", idempotencyKey, String(index)))),
  );
  const files = [...kept.flatMap(({ ref }) => ref ?? []), ...(output.stored ?? [])];
  return {
    output: [output.text, ...kept.map(({ note }) => note)].join("\n"),
    ...(files.length > 0 && { files }),
    ...(output.shown !== undefined && { shown: [...output.shown] }),
  };
};

const keepFile = async (
  { store, logger, budget }: OutputDeps,
  file: ToolFile,
  id: string,
): Promise<{ readonly note: string; readonly ref?: FileRef }> => {
  const { bytes } = file;
  const named = { name: safeFileName(file.name), mediaType: safeMediaType(file.mediaType), bytes };
  const about = `${named.name} (${named.mediaType}, ${bytes.length} bytes)`;
  const refusal = await budget?.take({ bytes: bytes.length });
  if (refusal !== undefined) return { note: `[file: ${about}, which was not kept: ${refusal}]` };
  try {
    const ref = await storeFile(store, id, named);
    return { note: `[file: ${about}; people get it with your answer]`, ref };
  } catch (error) {
    budget?.giveBack({ bytes: bytes.length });
    const { mediaType } = named;
    logger.warn({ mediaType, bytes: bytes.length, error: messageOf(error) }, "could not store the file of a tool");
    return { note: `[file: ${about}, which could not be stored: ${messageOf(error)}]` };
  }
};
