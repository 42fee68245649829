import { calls, Gate, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import type { FakeSlack } from "../fakes/slack/fake-slack.ts";

const AGENT = "mooring";
const PEER = "harbour";
const SCHEDULED = "Compare the ports.";
/** Longer than the measurement of the idle product takes. */
const DUE_IN_S = 8;
const ANSWER = { plain: "Nine metres.", schedule: "Three ports compared.", late: "Harbour counted seven boats." };

/** One piece of work, in two steps: what must have happened before it, and what is measured. */
export interface Walk {
  readonly agents: readonly object[];
  answer(request: ModelRequest): ModelAnswer;
  /** Runs before the product is measured at rest. `user` has not written before. */
  prepare(slack: FakeSlack, user: string): Promise<void>;
  /** Starts the work, unless it starts by itself, and resolves once its answer is posted. */
  run(slack: FakeSlack, user: string): Promise<void>;
}

const isSubtask = ({ toolNames }: ModelRequest): boolean => toolNames.includes("complete_subtask");

/** Resolves once `user` has an answer with this text; an anchor may stand above it. */
const posted = async (slack: FakeSlack, user: string, text: string): Promise<void> => {
  const room = slack.world.directRoomOf(user);
  await slack.until((posts) => posts.some((post) => post.room === room && post.text.includes(text)));
};

const slackMessage = (): Walk => ({
  agents: [{ name: AGENT }],
  answer: () => says(ANSWER.plain),
  // The first message of a person creates records that later messages only read.
  async prepare(slack, user) {
    await slack.say({ text: "Good morning.", user });
    await posted(slack, user, ANSWER.plain);
  },
  async run(slack, user) {
    const before = slack.posted.length;
    await slack.say({ text: "How deep is it?", user });
    await slack.until((posts) => posts.length > before);
  },
});

const schedule = (): Walk => ({
  agents: [{ name: AGENT }],
  answer(request) {
    const { lastUserText, toolOutputs } = request;
    if (isSubtask(request)) return says("It has room.");
    if (lastUserText.startsWith("[")) return says(ANSWER.schedule);
    if (toolOutputs.length > 0) return says("On it.");
    if (!lastUserText.includes(SCHEDULED)) {
      const task = { when: `in ${DUE_IN_S} s`, prompt: SCHEDULED, description: "ports" };
      return calls([{ name: "schedule_task", arguments: task }]);
    }
    const tasks = ["hull", "dover", "cork"].map((name) => ({ name, prompt: `Describe ${name}.` }));
    return calls([{ name: "spawn_parallel_subtasks", arguments: { tasks } }]);
  },
  async prepare(slack, user) {
    await slack.say({ text: "Look at the ports soon.", user });
    await posted(slack, user, "On it.");
  },
  run: (slack, user) => posted(slack, user, ANSWER.schedule),
});

const lateAnswer = (): Walk => {
  let gate = new Gate();
  return {
    agents: [
      {
        name: AGENT,
        peers: [PEER],
        delegation: { interactiveCeilingMs: 500, graceMs: 0 },
        peering: { lateWindowMs: 0 },
      },
      { name: PEER, peers: [AGENT] },
    ],
    answer(request) {
      const { body, lastUserText, toolOutputs } = request;
      if (body.model === PEER) return says([gate, "seven boats"]);
      if (toolOutputs.length > 0) return says("On it.");
      if (isSubtask(request)) {
        const message = { agent: PEER, message: "Count the boats.", msg_type: "task_delegate" };
        return calls([{ name: "send_message_to_agent", arguments: message }]);
      }
      if (lastUserText.startsWith("[late")) return says(ANSWER.late);
      if (lastUserText.startsWith("[")) return says("No count yet.");
      return calls([{ name: "spawn_subtask", arguments: { name: "boats", prompt: "Count the boats." } }]);
    },
    async prepare(slack, user) {
      gate = new Gate();
      await slack.say({ text: "How many boats?", user });
      await posted(slack, user, "No count yet.");
    },
    async run(slack, user) {
      gate.release();
      await posted(slack, user, ANSWER.late);
    },
  };
};

export const walks = { slack: slackMessage, schedule, "late-answer": lateAnswer } as const;
export type WalkName = keyof typeof walks;
