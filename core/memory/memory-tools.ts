import { z } from "zod";
import { AppError } from "../contract/app-error.ts";
import type { Clock } from "../contract/ports/clock.ts";
import { isoTime } from "../contract/ports/clock.ts";
import type { Store } from "../contract/ports/store.ts";
import type { Tool, ToolContext } from "../contract/tool.ts";
import { MAX_KEY_CHARS, WorkingMemory } from "./working-memory.ts";

const DEFAULT_MINUTES = 24 * 60;
const MAX_MINUTES = 366 * 24 * 60;
/** A tool's output is cut at 32 kB and a note can be longer, so it is read in pieces. */
const PIECE_CHARS = 5_000;

const key = z
  .string()
  .min(1)
  .max(MAX_KEY_CHARS)
  .regex(/^\P{C}*$/u, "must have no control characters")
  .describe("A short name, e.g. research/rome");
const SaveInput = z.object({
  key,
  value: z.string().describe("The text; replaces an existing note."),
  expiresInMinutes: z.int().min(1).max(MAX_MINUTES).optional().describe("Default: 24 hours."),
});
const GetInput = z.object({ key, offset: z.int().min(0).optional().describe("Where to continue in a long note.") });
const ListInput = z.object({});
const DeleteInput = z.object({ key });

const GET = "get_from_working_memory";

/** Tools for the working memory of the session; all are idempotent. */
export const memoryTools = (store: Store, clock: Clock): Tool[] => {
  const memoryOf = ({ sessionId }: ToolContext) => new WorkingMemory(store, clock, sessionId);

  const save: Tool<z.infer<typeof SaveInput>> = {
    name: "save_to_working_memory",
    description: "Saves a note for later turns of this conversation. Other conversations cannot see it.",
    input: SaveInput,
    needs: "talk",
    repeatable: true,
    run: async ({ key, value, expiresInMinutes = DEFAULT_MINUTES }, context) => {
      const refusal = await context.budget?.take({ bytes: Buffer.byteLength(value) });
      if (refusal !== undefined) throw new AppError("rate-limited", refusal);
      const note = await memoryOf(context).save(key, value, expiresInMinutes * 60_000);
      return `Saved "${key}" (${note.bytes} bytes) until ${isoTime(note.expiresAt)}.`;
    },
  };
  const get: Tool<z.infer<typeof GetInput>> = {
    name: GET,
    description: "Reads a note by its key.",
    input: GetInput,
    needs: "talk",
    repeatable: true,
    run: async ({ key, offset = 0 }, context) => {
      const value = await memoryOf(context).get(key);
      if (value === undefined) return `There is no note "${key}". It may have expired; list_working_memory shows all.`;
      const end = offset + PIECE_CHARS;
      if (value.length <= end) return value.slice(offset);
      return `${value.slice(offset, end)}\n[${value.length - end} characters follow: continue with offset ${end}]`;
    },
  };
  const list: Tool<z.infer<typeof ListInput>> = {
    name: "list_working_memory",
    description: "Lists the keys of all notes of this conversation.",
    input: ListInput,
    needs: "talk",
    repeatable: true,
    run: async (_input, context) => {
      const notes = await memoryOf(context).list();
      if (notes.length === 0) return "There are no notes.";
      return notes.map((note) => `- ${note.key} (${note.bytes} bytes, until ${isoTime(note.expiresAt)})`).join("\n");
    },
  };
  const remove: Tool<z.infer<typeof DeleteInput>> = {
    name: "delete_from_working_memory",
    description: "Deletes a note by its key.",
    input: DeleteInput,
    needs: "talk",
    repeatable: true,
    run: async ({ key }, context) =>
      (await memoryOf(context).delete(key)) ? `Deleted "${key}".` : `There was no note "${key}".`,
  };
  return [save, get, list, remove].map((tool) => ({ ...(tool as Tool), internal: true }));
};

/** The keys of the notes that tool calls have read. */
export const keysRead = (calls: readonly { readonly name: string; readonly input: unknown }[]): string[] =>
  calls.filter(({ name }) => name === GET).flatMap(({ input }) => keyIn(input) ?? []);

const keyIn = (input: unknown): string | undefined =>
  typeof input === "object" && input !== null && "key" in input && typeof input.key === "string"
    ? input.key
    : undefined;
