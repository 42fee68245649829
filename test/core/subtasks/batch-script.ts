import { ModelFailed } from "../../../core/model/model-failed.ts";
import type { StepResponse } from "../../../core/model/step.ts";
import type { Answer } from "../../fakes/scripted-model.ts";
import { calls, says } from "../../fakes/scripted-model.ts";
import type { Asked, Roles } from "./delegating.ts";
import { Held } from "./delegating.ts";
import type { Fate, Plan } from "./random-batch.ts";

/** "p3s1" is the second subtask of plan 3, "p3s1c0" its first child. */
export const nameOf = (plan: number, index: number): string => `p${plan}s${index}`;
export const fateOf = (plans: readonly Plan[], name: string | undefined): Fate | undefined => {
  const [, plan, index] = /^p(\d+)s(\d+)$/.exec(name ?? "") ?? [];
  return plans[Number(plan)]?.fates[Number(index)];
};

const REPORTS = ["batch", "alone", "blocking"] as const;

/** The script of the model for these plans. */
export const batchScript = (plans: readonly Plan[]): Required<Roles> => ({
  primary: (asked) => (asked.text.startsWith("plan ") ? primary(plans, asked) : refine(asked)),
  subagent: (asked) => subagent(plans, asked),
  continuation: (asked) => continuation(plans, asked),
});

/** Spawns, cancels, awaits and announces as planned, one step per response. */
const primary = (plans: readonly Plan[], { text, outputs }: Asked): Answer => {
  const number = Number(text.split(" ")[1]);
  const { fates, patience, awaitsAll, silent } = plans[number] as Plan;
  const names = (isIt: (fate: Fate) => boolean) =>
    fates.flatMap((fate, index) => (isIt(fate) ? nameOf(number, index) : []));
  const spawning = spawns((way) => names(({ reports }) => reports === way));
  const idOf = (name: string) => new RegExp(`(subtask-[0-9a-f]{8}): ${name}$`, "m").exec(outputs.join("\n"))?.[1];
  const idsOf = (isIt: (fate: Fate) => boolean) => names(isIt).flatMap((name) => idOf(name) ?? []);
  if (outputs.length === 0) return calls(...spawning);
  const cancelled = idsOf(({ cancelledBy }) => cancelledBy === "owner");
  const awaited = idsOf((fate) => fate.awaited);
  if (outputs.length === spawning.length && cancelled.length > 0) {
    return calls(...cancelled.map((id, n) => ({ name: "cancel_subtask", input: { id }, id: `cancel-${n}` })));
  }
  if (outputs.length === spawning.length + cancelled.length && awaited.length > 0) {
    const timeout = patience === "none" ? { timeoutSeconds: 0 } : {};
    return calls({ name: "await_subtasks", input: { ...(!awaitsAll && { ids: awaited }), ...timeout }, id: "await" });
  }
  return silent ? calls({ name: "nothing_to_say" }) : `announcement ${number}`;
};

/** Handles "tell subtask-…" from another session of the asker. */
const refine = ({ text, outputs }: Asked): Answer =>
  outputs[0] ??
  calls({ name: "message_subtask", input: { id: text.split(" ")[1], type: "refinement", content: "and in French" } });

/** Asks, delegates and ends as planned; ignores notes. */
const subagent = (plans: readonly Plan[], { request }: Asked): Answer => {
  const prompts = request.messages.flatMap((message) => (message.role === "user" ? message.text : []));
  const results = request.messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  const has = (tool: string) => results.some(({ name }) => name === tool);
  const name = /^do (\w+)$/.exec(prompts[0] ?? "")?.[1] ?? "";
  const [, parent, child] = /^(p\d+s\d+)c(\d+)$/.exec(name) ?? [];
  const fate = fateOf(plans, parent ?? name);
  if (fate === undefined) return "not planned";
  if (child !== undefined) return ending(fate.children[Number(child)]?.ends ?? "text", name, 0, results.at(-1)?.output);
  if (fate.asks !== "nothing" && !has("notify_owner")) {
    return calls({ name: "notify_owner", input: { type: "question", content: "which?", waitSeconds: 1 } });
  }
  if (fate.children.length > 0 && !has("spawn_parallel_subtasks")) {
    const namesBy = (way: string) => fate.children.flatMap(({ reports }, n) => (reports === way ? `${name}c${n}` : []));
    return calls(...spawns(namesBy));
  }
  return ending(fate.ends, name, fate.pauses, results.at(-1)?.output);
};

const ending = (ends: Fate["ends"], name: string, pauses: number, lastOutput = ""): Answer => {
  if (ends === "fail") return new ModelFailed("credentials", "as planned");
  if (ends === "stuck") return new Held().answer;
  // complete_subtask refuses while the subtask has open children.
  if (lastOutput.startsWith("Not yet")) return calls({ name: "await_subtasks" });
  return async () => {
    for (let n = 0; n < pauses; n++) await new Promise(setImmediate);
    const output = `result of ${name}`;
    return ends === "text" ? says(output) : calls({ name: "complete_subtask", input: { status: "success", output } });
  };
};

const continuation = (plans: readonly Plan[], { text, outputs }: Asked): Answer => {
  const [, id, name] = /^\[question from (subtask-[0-9a-f]{8}) "(\w+)"/.exec(text) ?? [];
  if (id === undefined) return `answer to ${[...text.matchAll(/### (\w+)/g)].map(([, one]) => one).join(" ")}`;
  const knows = fateOf(plans, name)?.asks === "answered";
  if (outputs.length > 0 || !knows) return calls({ name: "nothing_to_say" });
  return calls({ name: "message_subtask", input: { id, type: "answer", content: "this one" } });
};

const spawns = (namesBy: (way: (typeof REPORTS)[number]) => readonly string[]): StepResponse["toolCalls"] =>
  REPORTS.flatMap((way) => {
    const tasks = namesBy(way).map((name) => ({ name, prompt: `do ${name}` }));
    const input = { tasks, blocking: way === "blocking", consolidate: way === "batch" };
    return tasks.length === 0 ? [] : { id: `spawn-${way}`, name: "spawn_parallel_subtasks", input };
  });
