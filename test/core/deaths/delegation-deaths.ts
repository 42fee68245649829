import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { userMessage } from "../core-under-test.ts";
import type { PlaceOptions } from "./backbone-place.ts";
import { MortalCore } from "./mortal-core.ts";

const NAMES = ["tides", "knots", "ropes"];

/** "delegate 7": gives three subtasks of that number away, then makes one answer of their results. */
const script = ({ lastUserText, toolOutputs, toolNames }: ModelRequest) => {
  if (toolNames.includes("complete_subtask")) {
    if (lastUserText.includes("ropes doom")) return calls([{ name: "poison", arguments: {} }]);
    return calls([{ name: "complete_subtask", arguments: { status: "success", output: `found ${lastUserText}` } }]);
  }
  if (lastUserText.startsWith("[results of")) {
    if (lastUserText.includes("It was begun")) return says(lastUserText.slice(lastUserText.indexOf("### ")));
    return says(`together ${[...lastUserText.matchAll(/found do (\w+ \d+)/g)].map(([, found]) => found).join()}`);
  }
  const number = lastUserText.split(" ")[1];
  if (toolOutputs.length > 0) return says(`announced ${number}`);
  const tasks = NAMES.map((name) => ({ name, prompt: `do ${name} ${number}` }));
  return calls([{ name: "spawn_parallel_subtasks", arguments: { tasks } }]);
};

/** A process that starts on a busy machine takes its time. */

/** From the first word to a subtask to the answer: each is a place where everything so far is stored, and no more. */
const deaths: readonly (readonly [at: string, nth: number])[] = [
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

/** A `kill -9` at every step of delegation: one announcement, one answer from all, one last state (B5, S11). */
export const delegationDeaths = (kind: PlaceOptions["kind"]): void => {
  describe(`given a core on ${kind} that dies while others work for it`, () => {
    let core: MortalCore;
    beforeAll(async () => {
      core = await MortalCore.deploy(kind, script);
    });
    afterAll(() => core.dispose());

    it.each(deaths)("when it dies at %s, then the next one brings the answer", async (at, nth) => {
      const number = deaths.findIndex(([name]) => name === at);
      const dying = await core.alive();
      await dying.dieAt(at, nth);
      await core.receive(userMessage(`delegate ${number}`, `delegate ${number}`));
      await dying.exited;
      await core.alive();
      const isMine = ({ origin }: AgentReply) => origin?.promptSummary === `delegate ${number}`;
      const heard = await core.heard.until((replies) => replies.filter(isMine).some(isAnswer));
      const answer = heard.find((reply) => isMine(reply) && isAnswer(reply));
      expect(answer?.markdown).toBe(`together ${NAMES.map((name) => `${name} ${number}`).join()}`);
      await core.heard.until((replies) => replies.filter(isMine).some((reply) => reply.kind === "completion"));
    });

    it("when all is over, then each request had one announcement, one answer and one last state", async () => {
      const published = await core.publishedReplies([conversation]);
      for (const number of deaths.keys()) {
        const mine = published.filter(({ origin }) => origin?.promptSummary === `delegate ${number}`);
        const finals = mine.filter((reply) => reply.kind === "final").map(({ id }) => id);
        expect(new Set(finals).size, `delegate ${number}`).toBe(2);
        expect(finals).toHaveLength(2);
        expect(mine.filter((reply) => reply.kind === "completion")).toHaveLength(1);
      }
    });

    it("when a subtask kills every process that works on it, then it has failed, and the answer comes at once (S7)", {
      timeout: 180_000,
    }, async () => {
      const room = { channel: "web", room: "doomed", kind: "private" as const };
      await core.receive(userMessage("delegate doom", "delegate doom", { conversation: room }));
      const isMine = ({ audience }: AgentReply) => audience.conversation.room === room.room;
      const answered = core.heard.until((replies) => replies.filter(isMine).some(isAnswer)).then(() => true);
      for (let over = false; !over; ) {
        const { exited } = await core.alive();
        over = await Promise.race([answered, exited.then(() => false)]);
      }
      const answers = new Set(
        core.heard.items.filter((reply) => isMine(reply) && isAnswer(reply)).map((one) => one.markdown),
      );
      expect(answers.size).toBe(1);
      const [answer = ""] = answers;
      expect(answer).toMatch(
        /### ropes \(.*\): failed\nIt was begun 4 times, and each time something broke off the work\./,
      );
      // Whoever shares every one of these processes until its end shares the fate.
      expect(answer.match(/: (completed\nfound do|failed\nIt was begun)/g)).toHaveLength(NAMES.length);
    });
  });
};
