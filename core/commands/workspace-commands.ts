import { AppError } from "../contract/app-error.ts";
import { hasEnded, type Subtask } from "../contract/messages/subtask.ts";
import type { Texts } from "../contract/texts/texts.ts";
import { errorText, ToldError } from "../contract/texts/told-error.ts";
import { cutToBytes } from "../lib/index.ts";
import { ownSubtask } from "../subtasks/index.ts";
import type { Workspaces } from "../workspaces/index.ts";
import type { Command, CommandAnswer, CommandCall } from "./command.ts";

const DIFF_BYTES = 20_000;

/** A command, reached by a button, on the changes that a subtask has left in its workspace (S12). */
const onChanges = (
  name: string,
  act: (workspaces: Workspaces, subtask: Subtask, texts: Texts) => Promise<string>,
): Command => ({
  name,
  needs: "workspace",
  usage: `${name} <id>`,
  privately: true,
  run: async (call): Promise<CommandAnswer> => {
    try {
      const { workspaces, subtask } = await changesFor(call);
      return { markdown: await act(workspaces, subtask, call.texts) };
    } catch (error) {
      if (!(error instanceof AppError) || !SHOWN_ERRORS.includes(error.code)) throw error;
      return { markdown: errorText(error, call.texts) };
    }
  },
});

/** Errors that the caller sees as an answer. */
const SHOWN_ERRORS: readonly AppError["code"][] = ["not-found", "forbidden", "conflict", "bad-configuration"];

const changesFor = async ({ deps, message, args: id }: CommandCall) => {
  const { tenant, agent, account } = message;
  const workspaces = deps.workspaces.get(agent);
  if (workspaces === undefined) throw new ToldError("not-found", ({ workspace }) => workspace.none);
  const subtask = await ownSubtask(deps, { tenant, agent, id }, { writer: { ...message, accountId: account.id } });
  if (hasEnded(subtask)) return { workspaces, subtask };
  throw new ToldError("conflict", ({ workspace }) => workspace.stillWorking(subtask.name));
};

export const diff = onChanges("diff", async (workspaces, subtask, texts) => {
  const text = cutToBytes(await workspaces.diff(subtask), DIFF_BYTES);
  // The fence must be longer than any fence in the text.
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return text === "" ? texts.workspace.unchanged : `${fence}diff\n${text}\n${fence}`;
});

export const merge = onChanges("merge", (workspaces, subtask, texts) => workspaces.merge(subtask, texts));

export const discard = onChanges("discard", async (workspaces, subtask, texts) => {
  await workspaces.discard(subtask);
  return texts.workspace.discarded(subtask.name);
});
