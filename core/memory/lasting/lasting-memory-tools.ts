import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import type { MemoryConfig } from "./config.ts";
import { entryText, forget, MAX_ENTRY_CHARS, type MemoryDeps, remember } from "./lasting-memory.ts";
import { mayErase } from "./may-erase.ts";
import { describeEntry } from "./memory-note.ts";
import { type MemoryScope, memoryScope, readScope } from "./memory-scope.ts";
import { searchMemory } from "./search-memory.ts";

const RememberInput = z.object({
  text: z
    .string()
    .min(1)
    .max(MAX_ENTRY_CHARS)
    .describe("One fact in a sentence that is clear without the conversation, e.g. “Ann is allergic to nuts”."),
});
const RecallInput = z.object({
  query: z.string().max(500).default("").describe("Words to search for; empty: the newest entries."),
  limit: z.int().min(1).max(50).default(10),
});
const ForgetInput = z.object({ number: z.int().positive().describe("The number of the entry, from recall.") });

/** Text of pages, tools, files and agents must not change the memory without a person (T1). */
const ASKS = { isDestructive: false, isForOneCall: true, onlyForeignText: true } as const;

/** Tools for the lasting memory of a person or of a shared room (M4). All are idempotent. */
export const lastingMemoryTools = (deps: MemoryDeps, limits: MemoryConfig): Tool[] => {
  const rememberTool: Tool<z.infer<typeof RememberInput>> = {
    name: "remember",
    description:
      "Remembers a fact for good: in a private conversation about the person, for all their linked channels; in a shared " +
      "room for that room, where everyone can read it. Use it when a person asks you to remember something, or tells you " +
      "a lasting fact or preference about themselves. Never store passwords or keys.",
    input: RememberInput,
    needs: "remember",
    repeatable: true,
    hasEffects: true,
    isForOwner: true,
    approval: { ...ASKS, definition: "remember" },
    shownTexts: ({ text }) => [text],
    run: async ({ text }, context) => {
      const scope = scopeOf(context);
      const stored = entryText(text);
      if (stored === "") throw new AppError("bad-input", "The text is empty.");
      const { entry, isNew } = await remember(deps, scope, context, stored, limits, (bytes) => take(context, bytes));
      const what = `${entry.number}: ${entry.text}`;
      return isNew ? `Remembered for ${OWNERS[scope.kind]} as entry ${what}` : `Already known as entry ${what}`;
    },
  };
  const recallTool: Tool<z.infer<typeof RecallInput>> = {
    name: "recall",
    description: "Searches what you were asked to remember about this person, or in a shared room about this room.",
    input: RecallInput,
    needs: "remember",
    repeatable: true,
    run: async ({ query, limit }, context) => {
      const scope = scopeOf(context);
      const { entries } = await readScope(deps.store, scope);
      if (entries.length === 0) return `Nothing is remembered for ${OWNERS[scope.kind]}.`;
      const found = query.trim() === "" ? entries.toReversed() : searchMemory(entries, query);
      if (found.length === 0) return `No entry fits. ${entries.length} entries are remembered; try other words.`;
      const lines = found.slice(0, limit).map((entry) => `- ${describeEntry(entry, scope.kind)}`);
      const more =
        found.length > limit ? [`[${found.length - limit} more fit: use a larger limit or other words]`] : [];
      return [...lines, ...more].join("\n");
    },
  };
  const forgetTool: Tool<z.infer<typeof ForgetInput>> = {
    name: "forget",
    description: "Erases an entry of the lasting memory, when a person asks for it.",
    input: ForgetInput,
    needs: "remember",
    repeatable: true,
    hasEffects: true,
    isForOwner: true,
    approval: { ...ASKS, definition: "forget" },
    run: async ({ number }, context) => {
      const scope = scopeOf(context);
      const { entries } = await readScope(deps.store, scope);
      const found = entries.filter((entry) => entry.number === number);
      const [entry] = found;
      if (entry === undefined) return `There is no entry ${number}. It may have been erased.`;
      if (found.length > 1) return `Several entries have the number ${number}. The person can choose with \`/memory\`.`;
      if (!(await mayErase(deps.store, scope, context, entry))) {
        throw new AppError("forbidden", "Only the person who asked for this entry, or an operator, can erase it.");
      }
      await forget(deps, scope, [entry]);
      return `Erased entry ${number}: ${entry.text}`;
    },
  };
  return [rememberTool, recallTool, forgetTool].map((tool) => ({
    ...(tool as Tool),
    isForPeople: true,
    hasOwnTextOnly: true,
  }));
};

const OWNERS: Readonly<Record<MemoryScope["kind"], string>> = {
  person: "this person",
  room: "this room, where everyone can read it,",
};

const scopeOf = (context: ToolContext): MemoryScope => {
  const isForAgent = context.delegationContext.owner.worksFor !== undefined;
  const scope = isForAgent ? undefined : memoryScope(context, context);
  if (scope === undefined) throw new AppError("forbidden", "This work is for no person, so it has no lasting memory.");
  return scope;
};

const take = async ({ budget }: ToolContext, bytes: number): Promise<void> => {
  const refusal = await budget?.take({ bytes });
  if (refusal !== undefined) throw new AppError("rate-limited", refusal);
};
