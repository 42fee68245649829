import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { userMessage } from "../core-under-test.ts";
import type { DataOptions } from "./backbone-data.ts";
import { crashesOn } from "./crashes-on.ts";
import { CrashingCore } from "./crashing-core.ts";

/** "send 7": calls the tool "send", which asks people; the turn about the decision repeats what it was given. */
const script = ({ lastUserText, toolOutputs }: ModelRequest) => {
  if (lastUserText.startsWith("[decision")) return says(lastUserText.split("\n").slice(2).join("\n"));
  return toolOutputs.length === 0
    ? calls([{ name: lastUserText.split(" ")[0] ?? "", arguments: { text: lastUserText } }])
    : says("I asked.");
};

interface Crash {
  readonly at: string;
  /** "send" must not be repeated, "fetch" may be. */
  readonly tool: "send" | "fetch";
  /** The crash happens while people are asked, not after the press. */
  readonly isWhileAsking?: true;
  readonly verb?: "deny";
  readonly runs: number;
  readonly told?: string;
}

const allCrashes: readonly Crash[] = [
  ...["approval.reserved", "approval.timed", "approval.stored", "approval.indexed", "approval.published"].map(
    (at): Crash => ({ at, tool: "send", isWhileAsking: true, runs: 1 }),
  ),
  { at: "approval.decided", tool: "send", runs: 1 },
  { at: "approval.queued", tool: "send", runs: 1 },
  { at: "approval.closed", tool: "send", runs: 1 },
  { at: "approval.running", tool: "send", runs: 0, told: "interrupted, outcome unknown" },
  { at: "tool.inside", tool: "send", runs: 1, told: "interrupted, outcome unknown" },
  { at: "approval.ran", tool: "send", runs: 1, told: "interrupted, outcome unknown" },
  { at: "approval.ended", tool: "send", runs: 1 },
  { at: "approval.told", tool: "send", runs: 1 },
  { at: "approval.reported", tool: "send", runs: 1 },
  { at: "approval.running", tool: "fetch", runs: 1 },
  { at: "tool.inside", tool: "fetch", runs: 2 },
  { at: "approval.ran", tool: "fetch", runs: 2 },
  { at: "approval.decided", tool: "send", verb: "deny", runs: 0, told: "denied by Ann" },
  { at: "approval.closed", tool: "send", verb: "deny", runs: 0, told: "denied by Ann" },
];

/** A `kill -9` at every step of an approval: the call runs at most once, and one answer reports it. */
export const approvalCrashes = (kind: DataOptions["kind"]): void => {
  const crashes = crashesOn(kind, allCrashes, 7);
  describe(`given a core on ${kind} that crashes while a call is approved (T3, T4)`, () => {
    let core: CrashingCore;
    beforeAll(async () => {
      core = await CrashingCore.deploy(kind, script);
    });
    afterAll(() => core.dispose());

    it.each(crashes)(
      "when it crashes at $at with $tool, then the call runs $runs times and one answer reports the outcome",
      async (crash) => {
        const { tool, at, verb, isWhileAsking } = crash;
        const text = `${tool} ${crashes.indexOf(crash)}`;
        const conversation: Conversation = { channel: "web", room: text, kind: "private" };
        const isHere = ({ audience }: AgentReply) => audience.conversation.room === text;
        const isRequest = (reply: AgentReply) => isHere(reply) && reply.id.endsWith("/request");
        const isReport = (reply: AgentReply) => isHere(reply) && reply.cause?.trigger === "approval";
        let crashing = await core.running();
        if (isWhileAsking) await crashing.crashAt(at);
        await core.receive(userMessage(text, text, { conversation }));
        if (isWhileAsking) await crashing.exited;
        await core.running();
        await core.receivedReplyTo(text);
        const request = (await core.received.until((all) => all.some(isRequest))).find(isRequest);
        const id = request?.id.replace("/request", "") ?? "";
        const args = verb === undefined ? id : `${verb} ${id}`;
        const press = (name: string) =>
          userMessage(name, `/approve ${args}`, { conversation, command: { name: "approve", args } });
        crashing = await core.running();
        if (!isWhileAsking) await crashing.crashAt(at);
        await core.receive(press(`${text}/press`));
        if (!isWhileAsking) await crashing.exited;
        await core.running();
        await core.receivedReplyTo(`${text}/press`);
        const reports = await core.received.until((all) => all.some(isReport));
        expect(reports.find(isReport)?.markdown).toContain(
          crash.told ?? `${id}): approved by Ann, done\n${tool} is done`,
        );
        // A second press of the same request never runs it again.
        await core.receive(press(`${text}/again`));
        expect((await core.receivedReplyTo(`${text}/again`)).markdown).toContain("Nothing to decide any more");
        const turnId = reports.find(isReport)?.cause?.rootTurnId ?? "";
        const run = `${tool} ${turnId}/0/0 ${JSON.stringify({ text })}`;
        expect(await core.toolRuns(turnId)).toEqual(Array.from({ length: crash.runs }, () => run));
      },
    );

    it("when all calls have ended, then each has one request, one decision and one report", async () => {
      const rooms = crashes.map(({ tool }, index) => `${tool} ${index}`);
      const conversations = rooms.map((room): Conversation => ({ channel: "web", room, kind: "private" }));
      const published = await core.publishedReplies(conversations);
      const distinct = new Map(published.map((reply) => [reply.id, reply]));
      for (const room of rooms) {
        const here = [...distinct.values()].filter(({ audience }) => audience.conversation.room === room);
        const count = (isIt: (reply: AgentReply) => boolean) => here.filter(isIt).length;
        expect(count(({ id }) => id.endsWith("/request"))).toBe(1);
        expect(count(({ id }) => id.endsWith("/decision"))).toBe(1);
        expect(count(({ cause }) => cause?.trigger === "approval")).toBe(1);
      }
    });
  });
};
