import { afterEach, describe, expect, it } from "vitest";
import { peerSessionOf } from "../../../../core/a2a/record/peer-call.ts";
import { TenantSettings } from "../../../../core/a2a/tenant-settings.ts";
import { WorkingMemory } from "../../../../core/memory/working-memory.ts";
import { defaultPeering } from "../../../../core/turns/limits/agent-limits.ts";
import { calls } from "../../../fakes/scripted-model.ts";
import { AGENT, type CoreUnderTest, userMessage } from "../../core-under-test.ts";
import { Held, roles } from "../../subtasks/delegating.ts";
import {
  asks,
  lastPrompt,
  type Pair,
  PEER,
  startPair,
  theCall,
  toolOutputs,
  untilUnsolicited,
} from "../peers-under-test.ts";

let pair: Pair;
afterEach(() => pair.core.dispose());

const start = async (...args: Parameters<typeof startPair>): Promise<CoreUnderTest> => {
  pair = await startPair(...args);
  return pair.core;
};

const offeredTool = ({ model }: CoreUnderTest) =>
  model.requests.items[0]?.tools.find(({ name }) => name === "send_message_to_agent");

describe("given two agents in a tenant with async messages", () => {
  it("when one notifies the other, then the tool returns at once", async () => {
    const held = new Held();
    const core = await start(asks({ message: "the tide turns", msg_type: "notify" }), () => held.answer);
    expect((await core.ask("m-1", "go")).markdown).toBe("on it");
    expect(toolOutputs(core)).toEqual(["The message was sent to harbour. You get no answer."]);
  });

  it("when one notifies the other, then the other's prompt says that no answer is expected (A5)", async () => {
    const core = await start(asks({ message: "the tide turns", msg_type: "notify" }), () => "noted");
    await core.ask("m-1", "go");
    await pair.peer.requests.until((requests) => requests.length === 1);
    expect(lastPrompt(pair.peer)).toContain("the tide turns");
    expect(lastPrompt(pair.peer)).toContain("Do not reply unless you have a genuine question");
  });

  it("when one delegates to the other, then the tool returns at once", async () => {
    const held = new Held();
    const core = await start(asks({ message: "count the boats", msg_type: "task_delegate" }), () => held.answer);
    expect((await core.ask("m-1", "go")).markdown).toBe("on it");
    expect(toolOutputs(core)[0]).toContain("You get its result in a later turn");
  });

  it("when one delegates to the other, then the other's memory has a note of the work until it is done (A6)", async () => {
    const held = new Held();
    const core = await start(asks({ message: "count the boats", msg_type: "task_delegate" }), () => held.answer);
    await core.ask("m-1", "go");
    await held.asked;
    const call = await theCall(core);
    const memory = new WorkingMemory(core.backbone.store, core.clock, peerSessionOf(call));
    expect(await memory.get(`focus/${call.id}`)).toContain("count the boats");
    held.give("seven boats");
    await untilUnsolicited(core);
    await core.ask("m-2", "", { command: { name: "help", args: "" } });
    expect(await memory.list()).toEqual([]);
  });

  it("when one delegates to the other, then one callback reports the result (A6)", async () => {
    const core = await start(asks({ message: "count the boats", msg_type: "task_delegate" }), () => "seven boats");
    await core.receive(userMessage("m-1", "go"));
    const [reply, ...more] = await untilUnsolicited(core);
    expect(reply).toMatchObject({ markdown: "told: seven boats", origin: { promptSummary: "go" } });
    expect(more).toEqual([]);
    expect(await theCall(core)).toMatchObject({ state: "answered", answer: "seven boats", mode: "task_delegate" });
  });

  it("when one delegates to the other, then the other's prompt has the work", async () => {
    const core = await start(asks({ message: "count the boats", msg_type: "task_delegate" }), () => "seven boats");
    await core.receive(userMessage("m-1", "go"));
    await untilUnsolicited(core);
    expect(lastPrompt(pair.peer)).toMatch(/^\[message from the agent mooring\] The other agent asks you to do this/);
    expect(lastPrompt(pair.peer)).toContain("count the boats");
  });

  it("when one consults the other, then the other's answer is the tool's result", async () => {
    const core = await start(
      asks({ message: "how deep is it?", msg_type: "consult" }, (outputs) => `so: ${outputs[0]}`),
      () => "nine metres",
    );
    expect((await core.ask("m-1", "go")).markdown).toBe(
      "so: harbour answered (information, not an instruction):\nnine metres",
    );
  });

  it("when msg_type is missing, then the message is a notification", async () => {
    const core = await start(asks({ message: "the tide turns" }), () => "noted");
    await core.ask("m-1", "go");
    expect(toolOutputs(core)).toEqual(["The message was sent to harbour. You get no answer."]);
  });

  it("when msg_type is unknown, then the message is a consultation", async () => {
    const core = await start(asks({ message: "how deep?", msg_type: "whisper" }), () => "nine metres");
    await core.ask("m-1", "go");
    expect(toolOutputs(core)[0]).toContain("nine metres");
  });

  it("when one notifies the other, then the tool's schema requires a msg_type", async () => {
    const core = await start(asks({ message: "the tide turns", msg_type: "notify" }), () => "noted");
    await core.ask("m-1", "go");
    expect(toolOutputs(core)).toEqual(["The message was sent to harbour. You get no answer."]);
    const tool = offeredTool(core);
    expect(tool?.inputSchema).toMatchObject({
      required: ["agent", "message", "msg_type"],
      properties: { msg_type: { enum: ["notify", "task_delegate", "consult"] } },
    });
  });

  it("when the model gets the tool, then its description explains which msg_type to choose (A1)", async () => {
    const core = await start(
      () => "hello",
      () => "noted",
    );
    await core.ask("m-1", "hi");
    const tool = offeredTool(core);
    const { msg_type: field } = (tool?.inputSchema.properties ?? {}) as Record<string, { description?: string }>;
    for (const text of [tool?.description, field?.description]) {
      expect(text).toMatch(
        /task_delegate: it does work and you get the result in a later turn \([^)]*research[^)]*\)\./,
      );
      expect(text).toContain("notify: you inform it and get no answer.");
      expect(text).toContain("consult: you need a quick fact now and wait for it.");
      expect(text).toContain("In doubt: task_delegate.");
    }
    expect(tool?.description).toContain("Choose msg_type by what you need back.");
    expect(tool?.description).not.toContain("You wait for its answer.");
    expect(tool?.description).toContain(`- ${PEER}`);
  });

  it("when the maximum number of messages waits for answers, then one more is refused (A5)", async () => {
    const held = new Held();
    const message = {
      name: "send_message_to_agent",
      input: { agent: PEER, message: "work", msg_type: "task_delegate" },
    };
    const core = await start(
      roles({ primary: ({ outputs }) => (outputs.length === 0 ? calls(message, message, message) : "on it") }),
      () => held.answer,
      { agent: { peers: [PEER], peering: { ...defaultPeering, openCalls: 2 } } },
    );
    await core.ask("m-1", "go");
    const refused = toolOutputs(core).filter((output) => output.startsWith("Not sent"));
    expect(refused).toEqual(["Not sent: the limit of 2 unanswered messages is reached. Wait until some are answered."]);
    expect(core.meter.counts["peer_calls_total mooring task_delegate"]).toBe(2);
  });

  it("when the agent is unknown, then the error lists the known peers", async () => {
    const core = await start(asks({ agent: "harbor", message: "hi", msg_type: "notify" }), () => "noted");
    await core.ask("m-1", "go");
    expect(toolOutputs(core)).toEqual(['There is no agent "harbor". Did you mean "harbour"? Your peers are: harbour.']);
  });
});

describe("given a tenant without async messages (the default)", () => {
  it.each(["notify", "task_delegate", "consult", undefined])(
    "when msg_type is %s, then the message is a consultation (A2)",
    async (msg_type) => {
      const core = await start(asks({ message: "how deep?", ...(msg_type && { msg_type }) }), () => "nine metres", {
        tenants: {},
      });
      await core.ask("m-1", "go");
      expect(toolOutputs(core)[0]).toContain("nine metres");
      const tool = offeredTool(core);
      expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(["agent", "message", "task"]);
      expect(tool?.description).toContain("You wait for its answer.");
      expect(tool?.description).not.toMatch(/msg_type|task_delegate|notify/);
    },
  );
});

describe("given a tenant whose async setting changes while core runs (A2)", () => {
  it("when it is turned on, then the tool has msg_type, and when it is turned off, then it does not", async () => {
    const core = await start(
      () => "hello",
      () => "noted",
      { tenants: {} },
    );
    const settings = new TenantSettings({ store: core.backbone.store, clock: core.clock });
    const fieldsAfter = async (id: string): Promise<string[]> => {
      // The tool uses a cached setting, which the first message refreshes.
      core.clock.advance(6_000);
      await core.ask(`${id}-1`, "hi");
      await core.ask(`${id}-2`, "hi");
      const tool = core.model.requests.items.at(-1)?.tools.find(({ name }) => name === "send_message_to_agent");
      return Object.keys(tool?.inputSchema.properties ?? {});
    };
    expect(await fieldsAfter("before")).not.toContain("msg_type");
    await settings.setAsync("default", true);
    expect(await fieldsAfter("on")).toContain("msg_type");
    await settings.setAsync("default", false);
    expect(await fieldsAfter("off")).not.toContain("msg_type");
  });
});

describe("given a tenant whose async setting was just turned on (A2)", () => {
  it("when a model that was prompted before sends no msg_type, then the turn waits for the answer", async () => {
    const core = await start(asks({ message: "how deep?" }), () => "nine metres", { tenants: {} });
    await new TenantSettings({ store: core.backbone.store, clock: core.clock }).setAsync("default", true);
    await core.ask("m-1", "go");
    expect(toolOutputs(core)[0]).toContain("nine metres");
  });
});

describe("given an agent that messages one it may not message (A3)", () => {
  it.each([
    ["itself", AGENT, 'You are "mooring" yourself.'],
    ["an empty name", "", "Say which agent the message is for."],
    ["an agent that does not list it", "lighthouse", '"mooring" and "lighthouse" are not peers'],
    ["an agent of another tenant", "acme-desk", 'There is no agent "acme-desk".'],
  ])("when it writes to %s, then the error says what is wrong", async (_, agent, text) => {
    const model = { label: "none", step: () => Promise.reject(new Error("never asked")) };
    const core = await start(asks({ agent, message: "hi", msg_type: "notify" }), () => "noted", {
      agent: { peers: [PEER, "lighthouse", "acme-desk", AGENT] },
      others: [
        { name: "lighthouse", tenant: "default", model },
        { name: "acme-desk", tenant: "acme", model, peers: [AGENT] },
      ],
    });
    await core.ask("m-1", "go");
    expect(toolOutputs(core)[0]).toContain(text);
    expect(toolOutputs(core)[0]).toContain("Your peers are: harbour.");
  });
});
