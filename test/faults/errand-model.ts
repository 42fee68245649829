import { calls, fails, Gate, hangsUp, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { NextFaults } from "./crowd/next-faults.ts";
import { type ErrandName, errands } from "./errands.ts";
import type { ModelFault } from "./plan/fault.ts";

/** The agent that gets delegated work. */
export const HARBOUR = "harbour";

/** Longer than the time after which a draft of an answer is shown. */
const SLOW_MS = 1_500;
const WORK_MS = 200;
/**
 * Pause between the writes of one batch on a cluster: the end of its turn, then of each subtask. Up to nats-server 2.9.20
 * a cluster may store two concurrent writes that expect the same revision, and the later one overwrites the other.
 */
export const APART_ON_CLUSTER_MS = 2_000;
/** After one more failure, people get a failure notice. */
const MAX_FAILURES = 2;

/** A model that does the errands, recognises its role by its prompt, and can be made to fail. */
export class ErrandModel {
  readonly nextFaults: NextFaults<ModelFault["what"]>;
  readonly #server: ScriptedModelServer;

  private constructor(server: ScriptedModelServer, nextFaults: NextFaults<ModelFault["what"]>) {
    this.#server = server;
    this.nextFaults = nextFaults;
  }

  /** `apartMs`: extra time of the first subtask of a batch; the second one takes twice as much. */
  static async start(apartMs = 0): Promise<ErrandModel> {
    const nextFaults = new NextFaults<ModelFault["what"]>();
    /** The text of each failed request, the newest first. */
    const failed: string[] = [];
    const server = await ScriptedModelServer.start((request) => {
      // Otherwise the requests of a long run would fill the memory.
      server.requests.length = 0;
      const { lastUserText } = request;
      const isFaulty = failed.filter((text) => text === lastUserText).length < MAX_FAILURES;
      const fault = isFaulty ? nextFaults.next() : undefined;
      if (fault === undefined) return answerTo(request, apartMs);
      failed.unshift(lastUserText);
      failed.length = Math.min(failed.length, 100);
      return fault === "503" ? fails(503) : hangsUp();
    });
    return new ErrandModel(server, nextFaults);
  }

  /** The `model` of an agent's configuration; the server distinguishes agents by the name of their model. */
  configFor(agent: string): object {
    return { provider: "openai-compatible", baseUrl: this.#server.baseUrl, model: agent, apiKey: "none" };
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

const answerTo = (request: ModelRequest, apartMs: number): ModelAnswer => {
  const { body, lastUserText, toolNames, toolOutputs } = request;
  const token = /\bm\d+\b/.exec(lastUserText)?.[0] ?? "nothing";
  if (body.model === HARBOUR) return says([after(WORK_MS), `the depth at ${token}`]);
  if (toolNames.includes("complete_subtask")) {
    const isSecond = lastUserText.includes(`${token} b`);
    return says([after(WORK_MS + (isSecond ? 2 * apartMs : apartMs)), `found ${token}`]);
  }
  if (lastUserText.startsWith("[answer of another agent]")) return says(`relayed-${token}`);
  if (lastUserText.startsWith("[")) return says(`result-${token}`);
  if (lastUserText.startsWith("Scheduled task")) return says(`reminder-${token}`);
  const name = errandIn(lastUserText);
  if (name === "slow")
    return says([`begun ${token}, `, after(SLOW_MS), "going on, ", after(SLOW_MS + WORK_MS), `answer-${token}`]);
  // The account then reports the answer as lost, and the evidence has the reason.
  const refusal = name === "schedule" ? toolOutputs.find((output) => !output.startsWith("Scheduled as")) : undefined;
  if (refusal !== undefined) return says(`not scheduled, ${token}: ${refusal}`);
  const call = name && toolOutputs.length === 0 ? callsFor(name, token) : undefined;
  return call ?? says(`${name ? errands[name].answer : "lost"}-${token}`);
};

const errandIn = (text: string): ErrandName | undefined => {
  const names = Object.keys(errands) as ErrandName[];
  return names.find((name) => text.includes(`${errands[name].verb} m`));
};

const callsFor = (name: ErrandName, token: string): ModelAnswer | undefined => {
  if (name === "research") {
    const tasks = ["a", "b"].map((part) => ({ name: `job-${token}-${part}`, prompt: `work on ${token} ${part}` }));
    return calls([{ name: "spawn_parallel_subtasks", arguments: { tasks } }]);
  }
  if (name === "schedule") {
    const task = { when: "in 2 s", prompt: `it is time for ${token}`, description: `reminder of ${token}` };
    return calls([{ name: "schedule_task", arguments: task }]);
  }
  if (name === "delegate") {
    const message = { agent: HARBOUR, message: `How deep is ${token}?`, msg_type: "task_delegate" };
    return calls([{ name: "send_message_to_agent", arguments: message }]);
  }
  return undefined;
};

const after = (ms: number): Gate => {
  const gate = new Gate();
  setTimeout(() => gate.release(), ms).unref();
  return gate;
};
