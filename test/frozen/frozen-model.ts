import { calls, fails, Gate, type ModelAnswer, neverAnswers, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";

/** The agent of the same deployment that others call. */
export const HARBOUR = "harbour";
/** The agent whose subtasks work on a git repository. */
export const BUILDER = "builder";
/** The agent that is a program of its own. */
export const PILOT = "pilot";
/** The one command that they may run. It outlives a kill by a few seconds only. */
export const RUN = ["sleep", "5"] as const;

/** Answers by the text of the request. A request with "hold" in its text waits until the hold is released. */
export class FrozenModel {
  /** A request with this text ends the process, as a turn that crashes it would. */
  onPoison: () => void = () => undefined;
  /** Opened when held work may end. */
  readonly released = new Gate();
  /** Opened when the other agent may answer late, after its caller has ended. */
  readonly lateAnswers = new Gate();
  #held = true;

  release(): void {
    this.#held = false;
    this.released.release();
    this.lateAnswers.release();
  }

  readonly answer = (request: ModelRequest): ModelAnswer => {
    const { body, lastUserText: text, toolNames, toolOutputs } = request;
    if (text.includes("poison")) {
      this.onPoison();
      return neverAnswers();
    }
    const isGivenAway = body.model !== HARBOUR && GIVES_AWAY.test(text);
    const isHeld = this.#held && /\bhold\b/.test(text) && !isGivenAway;
    if (isHeld)
      return says([...(text.includes("stream") ? ["This answer has begun, "] : []), this.released, done(text)]);
    if (body.model === HARBOUR) return says(`Harbour says: nine metres (${tagIn(text)}).`);
    if (toolNames.includes("complete_subtask")) return subagent(text, toolOutputs);
    if (toolNames.length === 0) return says("In short: tides, knots and lighthouses.");
    if (text.includes("#failed")) return fails(400);
    if (text.includes("#nothing") && toolNames.includes(NOTHING)) return call(NOTHING, {});
    if (toolOutputs.length > 0) return says(`Noted (${tagIn(text)}).`);
    if (text.startsWith("[")) return says(`Result of ${tagIn(text)}: all is known now.`);
    return primary(text);
  };
}

const NOTHING = "nothing_to_say";

/** The agent itself answers these at once; the work that it delegates is held. */
const GIVES_AWAY = /^(delegate|leave to|\[)/;

/** Every piece of work has a tag that identifies its answer. */
export const tagIn = (text: string): string => /#[\w-]+/.exec(text)?.[0] ?? "#none";

const done = (text: string): string => `done at last (${tagIn(text)}).`;

const subagent = (text: string, outputs: readonly string[]): ModelAnswer => {
  if (outputs.length === 0 && text.includes("report progress")) {
    return call("notify_owner", { type: "status_update", content: "half way" });
  }
  if (outputs.length === 0 && text.includes("ask weather")) return toWeather(text, "task_delegate");
  if (outputs.length === 0 && text.includes("ask the owner")) {
    return call("notify_owner", { type: "question", content: "Which tide? #question", waitSeconds: 0 });
  }
  if (outputs.length === 0 && text.includes("write a file")) {
    return call("write_file", { path: "tides.txt", content: "high water at noon" });
  }
  if (outputs.length === 0 && text.includes("run it")) return call("run_command", { command: RUN });
  if (text.includes("fail")) return call("complete_subtask", { status: "failed", output: "", error: "no tide table" });
  return says(`Found ${tagIn(text)}.`);
};

const primary = (text: string): ModelAnswer => {
  const tag = tagIn(text);
  if (text.startsWith("keep in mind")) return call("remember", { text: text.split("\n")[0] ?? "" });
  if (text.startsWith("draw")) return call("art__art", {});
  if (text.startsWith("change")) return call("change", {});
  if (text.startsWith("remember")) return call("save_to_working_memory", { key: "boat", value: `the Seahorse ${tag}` });
  if (text.startsWith("schedule")) {
    const [, when = "every 2 h", prompt = "look"] = /^schedule \[(.*?)\] (.*)$/s.exec(text) ?? [];
    return call("schedule_task", { description: `Reminder ${tag}`, prompt, when });
  }
  if (text.startsWith("delegate")) {
    const jobs = [...text.matchAll(/\{(.*?)\}/g)].map(([, job = ""]) => ({ name: job.slice(0, 40), prompt: job }));
    return call("spawn_parallel_subtasks", { tasks: jobs });
  }
  if (text.startsWith("ask harbour")) return to(HARBOUR, text, "consult");
  if (text.startsWith("leave to harbour")) return to(HARBOUR, text, "task_delegate");
  if (text.startsWith("leave to weather")) return toWeather(text, "task_delegate");
  return says(`You said: ${text.slice(0, 120)}`);
};

const call = (name: string, input: object): ModelAnswer => calls([{ name, arguments: input }]);
const to = (agent: string, text: string, mode: string): ModelAnswer =>
  call("send_message_to_agent", { agent, message: text, msg_type: mode });
const toWeather = (text: string, mode: string): ModelAnswer => to("weather", text, mode);
