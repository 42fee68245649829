import { calls, Gate, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { Recorder } from "../fakes/recorder.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";

export const TOPICS = ["tides", "knots", "ropes"];

const wanted = (text: string): string => text.split("\n").at(-1) ?? "";
const asks = (agent: string, message: string, msg_type: string): ModelAnswer =>
  calls([{ name: "send_message_to_agent", arguments: { agent, message, msg_type } }]);
const spawns = (names: readonly string[], how: object = {}): ModelAnswer =>
  calls([
    {
      name: "spawn_parallel_subtasks",
      arguments: { tasks: names.map((name) => ({ name, prompt: name })), ...how },
    },
  ]);

/** Creates a schedule for next year, and runs it now. */
const schedules = (prompt: string, outputs: readonly string[]): ModelAnswer => {
  const [made] = outputs;
  if (outputs.length > 1) return says("It runs.");
  if (made !== undefined) {
    return calls([{ name: "run_schedule_now", arguments: { id: /schedule-[0-9a-f]{8}/.exec(made)?.[0] } }]);
  }
  const task = { description: "Morning brief", prompt, when: "0 9 1 1 *" };
  return calls([{ name: "schedule_task", arguments: task }]);
};

/** Three agents that act on the first word of the message, and recognise their role by their prompt. */
export class BubbleModels {
  /** Holds subagents that work on ropes, and the pilots. */
  gate = new Gate();
  readonly #servers: ScriptedModelServer[] = [];
  readonly #runs = new Recorder<string>();

  /** Their configuration: mooring calls harbour, and harbour calls the pilots. */
  async start(): Promise<object[]> {
    const agent = async (name: string, peers: readonly string[], answer: (request: ModelRequest) => ModelAnswer) => {
      const server = await ScriptedModelServer.start(answer);
      this.#servers.push(server);
      const model = { provider: "openai-compatible", baseUrl: server.baseUrl, model: "scripted", apiKey: "none" };
      return { name, model, peers, rights: { anonymous: ["default", "peers", "schedule"] } };
    };
    return [
      await agent("mooring", ["harbour"], (request) => this.#mooring(request)),
      await agent("harbour", ["mooring", "pilots"], harbour),
      await agent("pilots", ["harbour"], ({ lastUserText }) => says([this.gate, `pilots: ${wanted(lastUserText)}`])),
    ];
  }

  /** Resolves once a schedule's run has called the model with this prompt. */
  async runAsked(prompt: string): Promise<void> {
    await this.#runs.until((prompts) => prompts.includes(prompt));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
  }

  #mooring({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer {
    if (toolNames.includes("complete_subtask")) return this.#subagent(lastUserText, toolOutputs);
    if (lastUserText.startsWith("[")) return says(`In short: ${wanted(lastUserText)}`);
    const isRun = lastUserText.startsWith("Scheduled task");
    if (isRun) this.#runs.add(wanted(lastUserText));
    const [how, what = ""] = wanted(lastUserText).split(/ (.*)/);
    if (how === "schedule") return schedules(what, toolOutputs);
    if (how === "nothing") return calls([{ name: "nothing_to_say", arguments: {} }]);
    if (how === "consult" && toolOutputs.length > 0) return says(wanted(toolOutputs[0] ?? ""));
    if (how === "wait" && toolOutputs.length > 0) return says("They say so.");
    if (toolOutputs.length > 0) return says(isRun ? "Not for people: others are on it." : "I am on it.");
    if (how === "research") return spawns(what === "" ? TOPICS : [what]);
    if (how === "wait") return spawns(["tides"], { blocking: true });
    if (how === "consult") return asks("harbour", what, "consult");
    return how === "delegate" ? asks("harbour", what, "task_delegate") : says(`re ${wanted(lastUserText)}`);
  }

  #subagent(text: string, outputs: readonly string[]): ModelAnswer {
    if (text.startsWith("[answer")) return says(`I was told: ${wanted(text)}`);
    if (text === "the tide")
      return outputs.length > 0 ? says("I wait for it.") : asks("harbour", text, "task_delegate");
    return text === "ropes" ? says([this.gate, "all about ropes"]) : says(`all about ${text}`);
  }
}

/** Answers by itself, except about the tide, for which it calls the pilots. */
const harbour = ({ lastUserText: text, toolOutputs }: ModelRequest): ModelAnswer => {
  if (text.startsWith("[answer") || !wanted(text).includes("tide")) return says(`harbour: ${wanted(text)}`);
  return toolOutputs.length > 0 ? says("The pilots know.") : asks("pilots", "tide?", "task_delegate");
};
