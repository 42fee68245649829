import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { Subtask, SubtaskMessage } from "../../../core/contract/messages/subtask.ts";
import type { SyntheticMessage } from "../../../core/contract/messages/user-message.ts";
import type { StepRequest, StepResponse } from "../../../core/model/step.ts";
import { readSubtask } from "../../../core/subtasks/record/subtask-record.ts";
import { type Answer, calls, type Script } from "../../fakes/scripted-model.ts";
import { AGENT, CoreUnderTest, type TestOptions, userMessage } from "../core-under-test.ts";

/** The request of one step: of a turn of a person, of a subagent, or of a continuation. */
export interface Asked {
  /** The latest user message. */
  readonly text: string;
  /** Outputs of the tools called since then, oldest first. */
  readonly outputs: readonly string[];
  readonly request: StepRequest;
}

export interface Roles {
  /** Answers a person's message. */
  readonly primary: (asked: Asked) => Answer;
  readonly subagent?: (asked: Asked) => Answer;
  /** Answers results, late results and wake-ups. */
  readonly continuation?: (asked: Asked) => Answer;
}

/** A script that picks the role by the tools and the text of the request. */
export const roles = ({
  primary,
  subagent = () => "done",
  continuation = () => "in short",
}: Roles): ((request: StepRequest) => Answer) => {
  return (request) => {
    const asked = askedBy(request);
    if (request.tools.some(({ name }) => name === "complete_subtask")) return subagent(asked);
    return asked.text.startsWith("[") ? continuation(asked) : primary(asked);
  };
};

const askedBy = (request: StepRequest): Asked => {
  const at = request.messages.findLastIndex(({ role }) => role === "user");
  const latest = request.messages[at];
  const outputs = request.messages
    .slice(at + 1)
    .flatMap((message) => (message.role === "tool" ? message.results.map(({ output }) => output) : []));
  return { text: latest?.role === "user" ? latest.text : "", outputs, request };
};

/** Spawns subtasks of these names in the first step, and answers with a text in the next. */
export const delegates =
  (names: readonly string[], then: string, options: Record<string, unknown> = {}) =>
  ({ outputs }: Asked): Answer =>
    outputs.length === 0 ? spawns(names, options) : then;

export const spawns = (names: readonly string[], options: Record<string, unknown> = {}): StepResponse =>
  calls({
    name: "spawn_parallel_subtasks",
    input: { tasks: names.map((name) => ({ name, prompt: `do ${name}` })), ...options },
  });

/** An answer that the test releases. */
export class Held {
  readonly answer: Answer = async ({ signal }) => {
    this.#asked();
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    return Promise.race([this.#given, aborted]);
  };
  readonly asked: Promise<void>;
  #asked: () => void = () => {};
  #give: (response: StepResponse) => void = () => {};
  readonly #given: Promise<StepResponse>;

  constructor() {
    this.asked = new Promise((resolve) => {
      this.#asked = resolve;
    });
    this.#given = new Promise((resolve) => {
      this.#give = resolve;
    });
  }

  give(text: string): void {
    this.#give({ text, toolCalls: [], finish: "stop", usage: { inputTokens: 1, outputTokens: 1 } });
  }
}

export const startDelegating = (script: Script, options: TestOptions = {}): Promise<CoreUnderTest> =>
  CoreUnderTest.start(script, { heldByClock: true, ...options });

export const finals = (replies: readonly AgentReply[]): AgentReply[] => replies.filter(({ kind }) => kind === "final");

export const untilFinals = async (core: CoreUnderTest, count: number): Promise<AgentReply[]> =>
  finals(await core.replies.until((replies) => finals(replies).length >= count));

export const completions = (replies: readonly AgentReply[]): AgentReply[] =>
  replies.filter(({ kind }) => kind === "completion");

export const taskOf = ({ text }: Asked): string => text.replace("do ", "");

/** The last user message that the model got. */
export const lastAsked = ({ model }: CoreUnderTest): string => {
  const last = model.requests.items.at(-1)?.messages.at(-1);
  return last?.role === "user" ? last.text : "";
};

/** Waits for a counter, which grows shortly after the reply is published. */
export const counted = async ({ meter }: CoreUnderTest, name: string, count: number): Promise<void> => {
  while ((meter.counts[name] ?? 0) < count) await new Promise(setImmediate);
};

/** A message as a schedule enqueues it. */
export const backgroundTask = (id: string, text: string): SyntheticMessage => {
  const { conversation } = userMessage("", "");
  return userMessage(id, text, {
    synthetic: {
      type: "task",
      sessionId: `run-of-${id}`,
      origin: {
        channel: "scheduled",
        promptSummary: "Morning brief",
        startedAt: "2026-03-10T21:14:00.000Z",
        sessionId: null,
      },
      audience: { conversation, personId: "p-1" },
      asker: { personId: "p-1", accountId: "ann", name: "Ann" },
      owner: { ownerType: "orchestrator", ownerId: `run-of-${id}` },
      background: true,
      data: {},
    },
  });
};

const agentRef = { tenant: "default", agent: AGENT };

type OnBackbone = Pick<CoreUnderTest, "backbone">;

export const subtask = async ({ backbone }: OnBackbone, id: string): Promise<Subtask> => {
  const found = await readSubtask(backbone.store, { ...agentRef, id });
  if (found === undefined) throw new Error(`there is no ${id}`);
  return found;
};

/** Waits until the deferred write has stored the start of a subtask. */
export const untilBegun = async (core: CoreUnderTest, id: string): Promise<void> => {
  await core.clock.passNext(50);
  while ((await subtask(core, id)).status === "pending") await new Promise(setImmediate);
};

/** Publishes the completion of a subtask again, as after a lost acknowledgement. */
export const repeatEnd = async (core: OnBackbone, id: string): Promise<void> => {
  const { owner, parentTurnId, planId, traceId, completedAt = "", status } = await subtask(core, id);
  const message: SubtaskMessage = {
    id: `${id}/end`,
    timestamp: completedAt,
    priority: "normal",
    type: "completion",
    content: status,
    subtask: { ...agentRef, id },
    owner,
    planId,
    turnId: parentTurnId,
    traceId,
  };
  const subject = subjectsOf("default").subtaskMessage(AGENT);
  await core.backbone.bus.publish(subject, message, { id: `${id}/again`, key: owner.ownerId });
};

/** The ids of all subtasks in requests to the model so far. */
export const subtaskIds = ({ model }: CoreUnderTest): string[] => [
  ...new Set(JSON.stringify(model.requests.items).match(/subtask-[0-9a-f]{8}/g) ?? []),
];
