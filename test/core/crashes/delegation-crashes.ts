import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { userMessage } from "../core-under-test.ts";
import type { DataOptions } from "./backbone-data.ts";
import { CrashingCore } from "./crashing-core.ts";

const NAMES = ["tides", "knots", "ropes"];

/** "delegate 7": spawns three subtasks of that number, then answers with their results. */
const script = ({ lastUserText, toolOutputs, toolNames }: ModelRequest) => {
  if (toolNames.includes("complete_subtask")) {
    if (lastUserText.includes("ropes doom")) return calls([{ name: "poison", arguments: {} }]);
    return calls([{ name: "complete_subtask", arguments: { status: "success", output: `found ${lastUserText}` } }]);
  }
  if (lastUserText.startsWith("[results of")) {
    if (lastUserText.includes("It was started")) return says(lastUserText.slice(lastUserText.indexOf("### ")));
    return says(`together ${[...lastUserText.matchAll(/found do (\w+ \d+)/g)].map(([, found]) => found).join()}`);
  }
  const number = lastUserText.split(" ")[1];
  if (toolOutputs.length > 0) return says(`announced ${number}`);
  const tasks = NAMES.map((name) => ({ name, prompt: `do ${name} ${number}` }));
  return calls([{ name: "spawn_parallel_subtasks", arguments: { tasks } }]);
};

/** The checkpoints from the first spawn to the synthesis, each between two writes. */
const crashes: readonly (readonly [at: string, nth: number])[] = [
  ["spawn.reserved", 1],
  ["spawn.created", 2],
  ["spawn.published", 3],
  ["subtask.claimed", 2],
  ["subtask.ended", 2],
  ["subtask.reported", 3],
  ["end.counted", 2],
  ["batch.sealed", 1],
  ["batch.fired", 1],
  ["synthesis.published", 1],
];

const conversation = userMessage("", "").conversation;
const isAnswer = ({ kind, correlationId }: AgentReply) => kind === "final" && correlationId === undefined;

/** A `kill -9` at every step of delegation: one announcement, one consolidated answer, one completion (B5, S11). */
export const delegationCrashes = (kind: DataOptions["kind"]): void => {
  describe(`given a core on ${kind} that crashes while subtasks run`, () => {
    let core: CrashingCore;
    beforeAll(async () => {
      core = await CrashingCore.deploy(kind, script);
    });
    afterAll(() => core.dispose());

    it.each(crashes)("when it crashes at %s, then the next process publishes the answer", async (at, nth) => {
      const number = crashes.findIndex(([name]) => name === at);
      const crashing = await core.running();
      await crashing.crashAt(at, nth);
      await core.receive(userMessage(`delegate ${number}`, `delegate ${number}`));
      await crashing.exited;
      await core.running();
      const isOfRun = ({ origin }: AgentReply) => origin?.promptSummary === `delegate ${number}`;
      const replies = await core.received.until((all) => all.filter(isOfRun).some(isAnswer));
      const answer = replies.find((reply) => isOfRun(reply) && isAnswer(reply));
      expect(answer?.markdown).toBe(`together ${NAMES.map((name) => `${name} ${number}`).join()}`);
      await core.received.until((replies) => replies.filter(isOfRun).some((reply) => reply.kind === "completion"));
    });

    it("when all work has ended, then each request has one announcement, one answer and one completion", async () => {
      const published = await core.publishedReplies([conversation]);
      for (const number of crashes.keys()) {
        const mine = published.filter(({ origin }) => origin?.promptSummary === `delegate ${number}`);
        const finals = mine.filter((reply) => reply.kind === "final").map(({ id }) => id);
        expect(new Set(finals).size, `delegate ${number}`).toBe(2);
        expect(finals).toHaveLength(2);
        expect(mine.filter((reply) => reply.kind === "completion")).toHaveLength(1);
      }
    });

    it("when a subtask crashes every process that runs it, then it fails, and the answer is published at once (S7)", {
      timeout: 180_000,
    }, async () => {
      const room = { channel: "web", room: "doomed", kind: "private" as const };
      await core.receive(userMessage("delegate doom", "delegate doom", { conversation: room }));
      const isOfRun = ({ audience }: AgentReply) => audience.conversation.room === room.room;
      const answered = core.received.until((replies) => replies.filter(isOfRun).some(isAnswer)).then(() => true);
      for (let over = false; !over; ) {
        const { exited } = await core.running();
        over = await Promise.race([answered, exited.then(() => false)]);
      }
      const answers = new Set(
        core.received.items.filter((reply) => isOfRun(reply) && isAnswer(reply)).map((one) => one.markdown),
      );
      expect(answers.size).toBe(1);
      const [answer = ""] = answers;
      expect(answer).toMatch(/### ropes \(.*\): failed\nIt was started 4 times, and each run was interrupted\./);
      // The other subtasks may fail too, if they ran in all of these processes.
      expect(answer.match(/: (completed\nfound do|failed\nIt was started)/g)).toHaveLength(NAMES.length);
    });
  });
};
