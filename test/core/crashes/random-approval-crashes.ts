import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approvalIdOf } from "../../../core/approvals/record/approval-record.ts";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { propertyRuns } from "../../setup/property-runs.ts";
import { userMessage } from "../core-under-test.ts";
import type { DataOptions } from "./backbone-data.ts";
import { CrashingCore } from "./crashing-core.ts";

const CHECKPOINTS = [
  ...["reserved", "timed", "stored", "indexed", "published", "decided", "queued", "closed"].map(
    (at) => `approval.${at}`,
  ),
  ...["running", "ran", "ended", "told", "reported"].map((at) => `approval.${at}`),
  "tool.inside",
];
const PEOPLE = ["ann", "bob", "olga"] as const;

type Event =
  | { do: "ask"; tool: "send" | "fetch"; shared: boolean }
  | { do: "press"; by: (typeof PEOPLE)[number]; verb: "" | "deny " | "hour "; request: number; twice: boolean }
  | { do: "crash"; at: string };

const anAsk = fc.record({
  do: fc.constant("ask" as const),
  tool: fc.constantFrom("send" as const, "fetch" as const),
  shared: fc.boolean(),
});
const aPress = fc.record({
  do: fc.constant("press" as const),
  by: fc.constantFrom(...PEOPLE),
  verb: fc.constantFrom("" as const, "deny " as const, "hour " as const),
  request: fc.nat(3),
  twice: fc.boolean(),
});
const aCrash = fc.record({ do: fc.constant("crash" as const), at: fc.constantFrom(...CHECKPOINTS) });

/** Fewer crashes than the attempts after which a message is a dead letter. */
const MAX_CRASHES = 3;
const someEvents = fc
  .array(
    fc.oneof({ weight: 2, arbitrary: anAsk }, { weight: 4, arbitrary: aPress }, { weight: 1, arbitrary: aCrash }),
    {
      minLength: 6,
      maxLength: 12,
    },
  )
  .map((events): Event[] => [{ do: "ask", tool: "send", shared: true }, ...events])
  .filter((events) => events.filter((event) => event.do === "crash").length <= MAX_CRASHES);

const script = ({ lastUserText, toolOutputs }: ModelRequest) => {
  if (lastUserText.startsWith("[decision")) return says(lastUserText);
  const [, tool = "", text = ""] = /(?:^|: )((?:send|fetch)) (.*)$/.exec(lastUserText) ?? [];
  return toolOutputs.length === 0 ? calls([{ name: tool, arguments: { text } }]) : says("I asked.");
};

/** A request that people see, with the presses that the rights permit. */
interface Asked {
  readonly id: string;
  readonly conversation: Conversation;
  readonly request: AgentReply;
  mayRun: boolean;
  isDecided: boolean;
}

/**
 * Random calls, presses, duplicates and crashes: a call that must not be repeated runs at most once, and a call runs only
 * after a permitted press, with exactly the arguments of its request.
 */
export const randomApprovalCrashes = (kind: DataOptions["kind"], fewest: number): void => {
  describe(`given a core on ${kind} that crashes at random while people decide about calls (T4)`, () => {
    let core: CrashingCore;
    let count = 0;
    beforeAll(async () => {
      core = await CrashingCore.deploy(kind, script);
    });
    afterAll(() => core.dispose());

    const ask = async (tool: string, shared: boolean): Promise<Asked> => {
      const name = `ask-${++count}`;
      const conversation: Conversation = { channel: "web", room: name, kind: shared ? "shared" : "private" };
      await core.receive(userMessage(name, `${tool} ${name}`, { conversation }));
      await untilReceived((reply) => reply.correlationId === name);
      const request = await untilReceived((reply) => reply.audience.conversation.room === name && isRequest(reply));
      return { id: request.id.replace("/request", ""), conversation, request, mayRun: false, isDecided: false };
    };
    const isRequest = ({ id }: AgentReply) => id.endsWith("/request");
    /** Restarts the core while it waits, because a crash may have ended it. */
    const untilReceived = async (isIt: (reply: AgentReply) => boolean): Promise<AgentReply> => {
      const found = core.received.until((all) => all.some(isIt)).then((all) => all.find(isIt) as AgentReply);
      for (;;) {
        const { exited } = await core.running();
        const reply = await Promise.race([found, exited.then(() => undefined)]);
        if (reply !== undefined) return reply;
      }
    };
    const press = async (asked: Asked, { by, verb, twice }: Extract<Event, { do: "press" }>): Promise<void> => {
      const isShared = asked.conversation.kind === "shared";
      // A private conversation has one person in it.
      const presser = isShared ? by : "ann";
      const may = presser !== "bob" && !(verb === "hour " && isShared);
      const isFirst = may && !asked.isDecided;
      // Before it is sent: from then on the call may run.
      if (isFirst && verb !== "deny ") asked.mayRun = true;
      if (isFirst) asked.isDecided = true;
      const args = `${verb}${asked.id}`;
      const names = Array.from({ length: twice ? 2 : 1 }, () => `press-${++count}`);
      const account = { id: presser, name: presser };
      for (const name of names) {
        const command = { name: "approve", args };
        await core.receive(userMessage(name, "/approve", { conversation: asked.conversation, account, command }));
      }
      for (const name of names) await untilReceived((reply) => reply.correlationId === name);
    };

    const check = async (asked: readonly Asked[], runsBefore: number): Promise<void> => {
      for (const { id } of asked.filter(({ isDecided }) => isDecided)) {
        await untilReceived(({ cause, markdown }) => cause?.trigger === "approval" && markdown.includes(id));
      }
      const runs = (await core.allToolRuns()).slice(runsBefore).map((line) => {
        const [tool = "", key = "", ...input] = line.split(" ");
        return { tool, id: approvalIdOf({ tenant: "default", agent: "mooring" }, key), input: input.join(" ") };
      });
      for (const { id, input } of runs) {
        const request = asked.find((one) => one.id === id);
        expect(request?.mayRun).toBe(true);
        expect(request?.request.markdown).toContain(JSON.stringify(JSON.parse(input), null, 2));
      }
      for (const { id } of asked)
        expect(runs.filter((run) => run.id === id && run.tool === "send").length).toBeLessThan(2);
    };

    it("when all is decided, then no call has run twice, unapproved or with other arguments", {
      timeout: 600_000,
    }, async () => {
      await fc.assert(
        fc.asyncProperty(someEvents, async (events) => {
          const asked: Asked[] = [];
          const runsBefore = (await core.allToolRuns()).length;
          for (const event of events) {
            if (event.do === "ask") asked.push(await ask(event.tool, event.shared));
            if (event.do === "crash") await (await core.running()).crashAt(event.at).catch(() => undefined);
            if (event.do === "press") await press(asked[event.request % asked.length] as Asked, event);
          }
          await check(asked, runsBefore);
        }),
        propertyRuns(fewest),
      );
    });
  });
};
