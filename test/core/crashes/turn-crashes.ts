import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { userMessage } from "../core-under-test.ts";
import type { DataOptions } from "./backbone-data.ts";
import { CrashingCore } from "./crashing-core.ts";

/** "work 7": calls the tool "work" once, then answers with its output. */
const script = ({ lastUserText, toolOutputs }: ModelRequest) =>
  toolOutputs.length === 0
    ? calls([{ name: lastUserText.split(" ")[0] ?? "", arguments: {} }])
    : says(`${lastUserText}: ${toolOutputs.join()}`);

interface Crash {
  readonly at: string;
  readonly nth?: number;
  /** "work" must not be repeated, "look" may be. */
  readonly tool: "work" | "look";
  readonly requests: number;
  readonly runs: number;
  readonly outcomeUnknown?: true;
  /** The turn had ended, so its reply may have been published. */
  readonly mayRepeat?: true;
}

const crashes: Crash[] = [
  { at: "intake.received", tool: "work", requests: 2, runs: 1 },
  { at: "turn.opened", tool: "work", requests: 2, runs: 1 },
  { at: "model.before", tool: "work", requests: 2, runs: 1 },
  { at: "model.after", tool: "work", requests: 3, runs: 1 },
  { at: "model.journaled", tool: "work", requests: 2, runs: 1 },
  { at: "tool.before", tool: "work", requests: 2, runs: 1 },
  { at: "tool.intent", tool: "work", requests: 2, runs: 0, outcomeUnknown: true },
  { at: "tool.inside", tool: "work", requests: 2, runs: 1, outcomeUnknown: true },
  { at: "tool.after", tool: "work", requests: 2, runs: 1, outcomeUnknown: true },
  { at: "tool.result", tool: "work", requests: 2, runs: 1 },
  { at: "tool.before", tool: "look", requests: 2, runs: 1 },
  { at: "tool.inside", tool: "look", requests: 2, runs: 2 },
  { at: "tool.after", tool: "look", requests: 2, runs: 2 },
  { at: "tool.result", tool: "look", requests: 2, runs: 1 },
  { at: "model.before", nth: 2, tool: "work", requests: 2, runs: 1 },
  { at: "model.after", nth: 2, tool: "work", requests: 3, runs: 1 },
  { at: "model.journaled", nth: 2, tool: "work", requests: 2, runs: 1, mayRepeat: true },
  { at: "reply.before", tool: "work", requests: 2, runs: 1, mayRepeat: true },
  { at: "reply.published", tool: "work", requests: 2, runs: 1 },
];

/** A `kill -9` at every step of a turn: no finished step is repeated, and one final is published. */
export const turnCrashes = (kind: DataOptions["kind"]): void => {
  describe(`given a core on ${kind} that crashes in the middle of a turn (F2)`, () => {
    let core: CrashingCore;
    const finals: AgentReply[] = [];
    beforeAll(async () => {
      core = await CrashingCore.deploy(kind, script);
    });
    afterAll(() => core.dispose());

    it.each(crashes)(
      "when it crashes at $at of a turn with $tool, then the next process ends the turn",
      async (crash) => {
        const text = `${crash.tool} ${crashes.indexOf(crash)}`;
        const crashing = await core.running();
        await crashing.crashAt(crash.at, crash.nth);
        await core.receive(userMessage(text, text));
        await crashing.exited;
        await core.running();
        const reply = await core.receivedReplyTo(text);
        finals.push(reply);
        expect(reply).toMatchObject({ kind: "final", outcome: "answered" });
        expect(reply.mayRepeat).toBe(crash.mayRepeat);
        if (crash.outcomeUnknown) expect(reply.markdown).toContain("its outcome is unknown");
        else expect(reply.markdown).toBe(`${text}: ${crash.tool} is done`);
        expect(core.server.requests.filter(({ lastUserText }) => lastUserText === text)).toHaveLength(crash.requests);
        const turnId = reply.id.replace("/final", "");
        const run = `${crash.tool} ${turnId}/0/0`;
        expect(await core.toolRuns(turnId)).toEqual(Array.from({ length: crash.runs }, () => run));
      },
    );

    it("when all turns have ended, then every message has exactly one final, in order", async () => {
      const asked = crashes.map(({ tool }, index) => `${tool} ${index}`);
      const published = await core.publishedReplies([userMessage("", "").conversation]);
      expect(published.map(({ correlationId }) => correlationId)).toEqual(asked);
      expect(published.map(({ id }) => id)).toEqual(finals.map(({ id }) => id));
    });

    it("when a message crashes every process that handles it, then its author gets a failure notice, and the next message is answered (F18)", {
      timeout: 180_000,
    }, async () => {
      const conversation = { channel: "web", room: "doomed", kind: "private" as const };
      await core.receive(userMessage("poison 1", "poison 1", { conversation }));
      await core.receive(userMessage("look 99", "look 99", { conversation }));
      const isNext = ({ correlationId }: AgentReply) => correlationId === "look 99";
      const answered = core.received.until((replies) => replies.some(isNext)).then(() => true);
      for (let over = false; !over; ) {
        const { exited } = await core.running();
        over = await Promise.race([answered, exited.then(() => false)]);
      }
      const replies = core.received.items.filter(({ audience }) => audience.conversation.room === "doomed");
      expect(replies.map(({ correlationId, kind, outcome }) => [correlationId, kind, outcome])).toEqual([
        ["poison 1", "notice", "failed"],
        ["look 99", "final", "answered"],
      ]);
    });
  });
};
