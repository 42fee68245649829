import { afterEach, describe, expect, it } from "vitest";
import { headlineOf } from "../../../../core/a2a/calls/open-call.ts";
import { redactInternalIds } from "../../../../core/a2a/record/redact.ts";
import { type AgentReply, activityOf } from "../../../../core/contract/messages/agent-reply.ts";
import { english } from "../../../../core/contract/texts/texts.ts";
import { ModelFailed } from "../../../../core/model/model-failed.ts";
import { defaultPeering } from "../../../../core/turns/limits/agent-limits.ts";
import { ownTools } from "../../../fakes/built-in-tools.ts";
import { Gate } from "../../../fakes/model-answer.ts";
import { overrideBackbone } from "../../../fakes/override-backbone.ts";
import { calls, ScriptedModel } from "../../../fakes/scripted-model.ts";
import { AGENT, userMessage } from "../../core-under-test.ts";
import { type Asked, backgroundTask, completions, counted, finals, Held, roles } from "../../subtasks/delegating.ts";
import {
  ASYNC,
  answerIn,
  asks,
  lastPrompt,
  type Pair,
  PEER,
  sends,
  startPair,
  theCall,
  toolOutputs,
  untilUnsolicited,
} from "../peers-under-test.ts";

let pair: Pair;
afterEach(() => pair.core.dispose());

const DELEGATE = { message: "count the boats", msg_type: "task_delegate" };
const DAY_MS = 24 * 3_600_000;

const bubbles = async (): Promise<string[]> => {
  await pair.core.ask("last", "", { command: { name: "help", args: "" } });
  return finals(pair.core.replies.items).map(({ markdown, correlationId = "-" }) => `${correlationId} ${markdown}`);
};

describe("given a person's message that is delegated to a peer", () => {
  it("when the peer answers, then there is one announcement and one final (B table)", async () => {
    pair = await startPair(asks(DELEGATE), () => "seven boats");
    await pair.core.receive(userMessage("m-1", "go"));
    await untilUnsolicited(pair.core);
    expect(await bubbles()).toEqual(["m-1 on it", "- told: seven boats"]);
  });

  it("when the model delegates without text, then the announcement names the peer (B7)", async () => {
    pair = await startPair(
      roles({
        primary: sends(DELEGATE, () => ({
          text: "",
          toolCalls: [{ id: "x", name: "nothing_to_say", input: {} }],
          finish: "tool-calls",
          usage: { inputTokens: 1, outputTokens: 1 },
        })),
      }),
      () => "seven boats",
    );
    await pair.core.receive(userMessage("m-1", "go"));
    await untilUnsolicited(pair.core);
    expect((await bubbles())[0]).toBe("m-1 Working on: Asking harbour: count the boats");
  });

  it("when the asking agent's model fails, then people get the peer's text (B3)", async () => {
    pair = await startPair(
      roles({ primary: sends(DELEGATE), continuation: () => new ModelFailed("refused", "no") }),
      () => "seven boats",
    );
    await pair.core.receive(userMessage("m-1", "go"));
    const [reply] = await untilUnsolicited(pair.core);
    expect(reply?.markdown).toContain("seven boats");
  });

  it("when the peer fails, then the person gets its error", async () => {
    pair = await startPair(asks(DELEGATE), () => new ModelFailed("refused", "no"));
    await pair.core.receive(userMessage("m-1", "go"));
    const [reply] = await untilUnsolicited(pair.core);
    expect(reply?.markdown).toContain("told: My language model declined");
  });

  it("when the peer never answers, then the person learns after a day that there is no answer (A6)", async () => {
    const held = new Held();
    pair = await startPair(asks(DELEGATE), () => held.answer, { turnDeadlineMs: 3 * DAY_MS });
    await pair.core.ask("m-1", "go");
    await held.asked;
    await pair.core.clock.passNext(DAY_MS);
    const [reply] = await untilUnsolicited(pair.core);
    expect(reply?.markdown).toContain("There is no answer from harbour");
    held.give("seven boats");
    await counted(pair.core, "turns_total harbour answered", 1);
    expect(await bubbles()).toHaveLength(2);
  });

  it("when the callback's text has internal names, then people do not see them (A6)", async () => {
    const leaky = "Seven boats are in (call-0123456789ab).\n- focus/call-0123456789ab done\nUsed task_delegate.";
    pair = await startPair(roles({ primary: sends(DELEGATE), continuation: () => leaky }), () => "seven boats");
    await pair.core.receive(userMessage("m-1", "go"));
    const [reply] = await untilUnsolicited(pair.core);
    expect(reply?.markdown).toBe("Seven boats are in.");
    expect(lastPrompt(pair.core.model)).toContain("The person who asked sees your reply.");
  });
});

describe("given a peer that delegates to other agents", () => {
  const both = (asked: Asked) =>
    asked.outputs.length === 0
      ? calls(
          ...["lighthouse", "pilot"].map((agent) => ({
            name: "send_message_to_agent",
            input: { agent, message: "how deep?", msg_type: "task_delegate" },
          })),
        )
      : "asking both";
  const other = (name: string, held: Held) => ({
    name,
    tenant: "default",
    model: new ScriptedModel(() => held.answer),
    peers: [PEER],
  });

  it("when one of two has answered, then the peer's answer waits for the other", async () => {
    const [first, second] = [new Held(), new Held()];
    pair = await startPair(
      asks(DELEGATE),
      roles({
        primary: both,
        continuation: (asked) => (asked.text.startsWith("[answer") ? `${answerIn(asked.text)} it is` : both(asked)),
      }),
      {
        peerAgent: { peers: [AGENT, "lighthouse", "pilot"] },
        others: [other("lighthouse", first), other("pilot", second)],
      },
    );
    await pair.core.receive(userMessage("m-1", "go"));
    await Promise.all([first.asked, second.asked]);
    first.give("nine metres");
    await counted(pair.core, "turns_total harbour answered", 2);
    expect(await theCall(pair.core)).toMatchObject({ state: "open" });
    second.give("ten metres");
    const [reply] = await untilUnsolicited(pair.core);
    expect(reply?.markdown).toBe("told: ten metres it is");
  });
});

describe("given a schedule run that delegates to a peer", () => {
  it("when the peer answers, then there is one final, with the run's origin", async () => {
    pair = await startPair(asks(DELEGATE), () => "seven boats");
    await pair.core.receive(backgroundTask("run-1", "brief me"));
    const [reply] = await untilUnsolicited(pair.core);
    expect(reply?.origin).toMatchObject({ channel: "scheduled", promptSummary: "Morning brief" });
    expect(await bubbles()).toEqual(["- told: seven boats"]);
  });
});

describe("given a schedule run that consults a peer", () => {
  it("when the process that settles the call hangs before it counts the end, then the run's answer is still published", async () => {
    const settling = new Gate();
    pair = await startPair(asks({ message: "how deep?", msg_type: "consult" }, "deep enough"), () => "nine metres", {
      checkpoint: async (name) => {
        if (name === "call.settled") await settling.opened;
      },
    });
    await pair.core.receive(backgroundTask("run-1", "brief me"));
    await counted(pair.core, "turns_total mooring answered", 1);
    settling.release();
    expect(await bubbles()).toEqual(["- deep enough"]);
  });
});

describe("given a peer that asks a third agent", () => {
  it("when the third agent answers, then the answer returns along the chain, and the cause names the hops (O13)", async () => {
    const third = {
      label: "third",
      step: async () => ({
        text: "nine metres",
        toolCalls: [],
        finish: "stop" as const,
        usage: { inputTokens: 1, outputTokens: 1 },
      }),
    };
    pair = await startPair(
      asks({ message: "can the ferry come in?", msg_type: "task_delegate" }),
      ({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === "tool") return "asking the lighthouse";
        const text = last?.role === "user" ? last.text : "";
        if (text.startsWith("[answer")) return `yes, ${answerIn(text)} are enough`;
        return {
          text: "",
          toolCalls: [
            {
              id: "x",
              name: "send_message_to_agent",
              input: { agent: "lighthouse", message: "how deep?", msg_type: "task_delegate" },
            },
          ],
          finish: "tool-calls",
          usage: { inputTokens: 1, outputTokens: 1 },
        };
      },
      {
        peerAgent: { peers: ["mooring", "lighthouse"] },
        others: [{ name: "lighthouse", tenant: "default", model: third, peers: [PEER] }],
      },
    );
    await pair.core.receive(userMessage("m-1", "go"));
    const [reply] = await untilUnsolicited(pair.core);
    expect(reply?.markdown).toBe("told: yes, nine metres are enough");
    expect(reply?.cause).toMatchObject({ trigger: "callback", steps: [{ kind: "peer" }] });
  });
});

describe("given a consultation", () => {
  it("when it times out, then the answer arrives later (A1)", async () => {
    const held = new Held();
    const peering = { ...defaultPeering, consultMs: 1_234 };
    pair = await startPair(asks({ message: "how deep?" }), () => held.answer, { tenants: {}, agent: { peering } });
    await pair.core.receive(userMessage("m-1", "go"));
    await held.asked;
    await pair.core.clock.passNext(1_234);
    await pair.core.replyTo("m-1");
    expect(toolOutputs(pair.core)[0]).toContain("You get its answer in a later turn");
    held.give("nine metres");
    const [reply] = await untilUnsolicited(pair.core);
    expect(reply?.markdown).toBe("told: nine metres");
  });
});

describe("given an activity entry", () => {
  it("when a peer works and answers, then one entry is updated until it is completed (B1)", async () => {
    const held = new Held();
    pair = await startPair(asks(DELEGATE), () => held.answer, { tenants: ASYNC });
    await pair.core.receive(userMessage("m-1", "go"));
    await held.asked;
    await pair.core.clock.passNext(500);
    const isProgress = ({ kind }: AgentReply) => kind === "progress";
    const progress = (await pair.core.replies.until((all) => all.some(isProgress))).find(isProgress);
    expect(progress && activityOf(progress)?.items).toMatchObject([
      { name: "Asking harbour: count the boats", state: "running" },
    ]);
    held.give("seven boats");
    const [completion] = completions(await pair.core.replies.until((all) => completions(all).length === 1));
    expect(completion && activityOf(completion)).toMatchObject({
      id: progress && activityOf(progress)?.id,
      items: [{ state: "completed", result: "seven boats" }],
    });
  });
});

describe("given a person who reads German (U3)", () => {
  it("when a peer works for them, then the entry names the call in German", async () => {
    const held = new Held();
    pair = await startPair(asks(DELEGATE), () => held.answer, { tenants: ASYNC });
    await pair.core.receive(userMessage("m-1", "go", { account: { id: "ann", name: "Ann", locale: "de" } }));
    await held.asked;
    await pair.core.clock.passNext(500);
    const isProgress = ({ kind }: AgentReply) => kind === "progress";
    const progress = (await pair.core.replies.until((all) => all.some(isProgress))).find(isProgress);
    expect(progress && activityOf(progress)?.items[0]?.name).toBe("Anfrage an harbour: count the boats");
    held.give("seven boats");
    await pair.core.replies.until((all) => completions(all).length === 1);
  });
});

describe("given a long message to a peer", () => {
  it.each([
    [
      "words with spaces",
      "count the boats in the harbour and tell me which of them came in since this morning, and why",
    ],
    ["no spaces", "boat".repeat(40)],
    ["emoji", "⛵👩‍👩‍👧".repeat(60)],
  ])("when it is delegated, then its headline has at most 80 characters (A6): %s", async (_, message) => {
    const held = new Held();
    pair = await startPair(asks({ ...DELEGATE, message }), () => held.answer);
    await pair.core.receive(userMessage("m-1", "go"));
    await held.asked;
    await pair.core.clock.passNext(500);
    const isProgress = ({ kind }: AgentReply) => kind === "progress";
    const progress = (await pair.core.replies.until((all) => all.some(isProgress))).find(isProgress);
    const name = (progress && activityOf(progress)?.items[0]?.name) ?? "";
    const { length } = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(name)];
    expect(name).toMatch(/^Asking harbour: .*…$/u);
    expect(length).toBeLessThanOrEqual(80);
    expect(length).toBeGreaterThan(60);
  });

  it.each([
    [
      "ids and keys",
      "For call-0123456789ab, see focus/call-0123456789ab, count the boats",
      "Asking harbour: For, see, count the boats",
    ],
    ["nothing else", "call-0123456789ab", "Asking harbour"],
  ])("when it has internal names, then its headline omits them (A6): %s", (_, message, headline) => {
    expect(headlineOf(PEER, message, ownTools, english)).toBe(headline);
  });
});

describe("given the text of a callback", () => {
  it.each([
    ["an id in brackets", "All is well (call-0123456789ab).", "All is well."],
    ["a tool", "I used the tool `send_message_to_agent` to ask the harbour.", "I used to ask the harbour."],
    ["a line that has only internal names", "Done.\n- Cleared focus/call-0123456789ab\nGood.", "Done.\nGood."],
    ["code", "Look:\n```\nmsg_type = 1\n```", "Look:\n```\nmsg_type = 1\n```"],
    [
      "an address of another site",
      "See https://example.com/notifications/settings and docs/focus/tides.md.",
      "See https://example.com/notifications/settings and docs/focus/tides.md.",
    ],
    [
      "no internal name",
      "The task at hand: call the pilot, focus on tides.",
      "The task at hand: call the pilot, focus on tides.",
    ],
  ])("when it has %s, then only internal names are removed", (_, text, clean) => {
    expect(redactInternalIds(text, ownTools)).toBe(clean);
  });
});

describe("given a request to a peer that cannot be published", () => {
  it("when the bus accepts the retry, then the person gets the peer's result (A7)", async () => {
    let refusals = 0;
    pair = await startPair(asks(DELEGATE), () => "seven boats", {
      wrap: (backbone) =>
        overrideBackbone(backbone, {
          bus: {
            consume: (...args) => backbone.bus.consume(...args),
            listen: (...args) => backbone.bus.listen(...args),
            signal: (...args) => backbone.bus.signal(...args),
            publish: async (subject, message, options) => {
              if (options.id.startsWith("peer/") && refusals++ === 0) throw new Error("no room");
              return backbone.bus.publish(subject, message, options);
            },
          },
        }),
    });
    expect((await pair.core.ask("m-1", "go")).markdown).toBe("on it");
    await pair.core.clock.passNext(2);
    const [reply] = await untilUnsolicited(pair.core);
    expect(reply?.markdown).toBe("told: seven boats");
  });
});
