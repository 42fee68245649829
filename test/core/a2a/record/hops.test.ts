import { afterEach, describe, expect, it } from "vitest";
import { addressOf } from "../../../../core/a2a/identity.ts";
import { acceptChain, nextHop, pairOf } from "../../../../core/a2a/record/hops.ts";
import { calls, type ScriptedModel } from "../../../fakes/scripted-model.ts";
import { AGENT, userMessage } from "../../core-under-test.ts";
import { type Asked, counted, delegates, roles, untilFinals } from "../../subtasks/delegating.ts";
import { type Pair, PEER, sends, startPair, toolOutputs, untilUnsolicited } from "../peers-under-test.ts";

let pair: Pair | undefined;
afterEach(async () => {
  await pair?.core.dispose();
  pair = undefined;
});

const MINUTES = 60_000;

describe("given a chain of agents (A4)", () => {
  const step = { root: "t-1", pair: pairOf("b", "a") };
  it("when a pair has made three hops, then a fourth is refused, and other pairs may continue", () => {
    const first = nextHop(undefined, { ...step, now: 0 });
    const second = nextHop(first, { ...step, now: 1 });
    const third = nextHop(second, { ...step, now: 2 });
    expect(third).toEqual({ root: "t-1", hops: { "a b": 3 }, lastHopAt: 2 });
    expect(nextHop(third, { ...step, now: 3 })).toBeUndefined();
    expect(nextHop(third, { ...step, pair: pairOf("a", "c"), now: 3 })?.hops).toEqual({ "a b": 3, "a c": 1 });
  });

  it("when ten minutes have passed since its last hop, then the count restarts", () => {
    const chain = { root: "t-1", hops: { "a b": 3 }, lastHopAt: 0 };
    expect(nextHop(chain, { ...step, now: 10 * MINUTES - 1 })).toBeUndefined();
    expect(nextHop(chain, { ...step, now: 10 * MINUTES })).toMatchObject({ root: "t-1", hops: { "a b": 1 } });
  });

  it("when every hop is between another pair, then the chain still has a limit", () => {
    let chain = nextHop(undefined, { root: "t-1", pair: "0", now: 0 });
    let hops = 0;
    for (; chain !== undefined; hops++) chain = nextHop(chain, { root: "t-1", pair: String(hops + 1), now: 0 });
    expect(hops).toBe(12);
  });
});

describe("given a call from a remote agent", () => {
  const OWN = "https://here.example/a2a/me";
  const OTHER = "https://there.example/a2a/you";
  const received = (hops: Record<string, number>, to: string) =>
    acceptChain({ hops, to, rootCorrelationId: "m-1" }, OWN);

  it("when its sender uses an alias of our address, then both addresses share one count (A4)", () => {
    const to = "https://alias.example";
    const hops = { [pairOf(OTHER, to)]: 1, [pairOf(OTHER, OWN)]: 2, [pairOf(OTHER, "else")]: 1 };
    expect(received(hops, to)?.hops).toEqual({ [pairOf(OTHER, OWN)]: 3, [pairOf(OTHER, "else")]: 1 });
    expect(received({ ...hops, [pairOf(OTHER, to)]: 2 }, to)).toBeUndefined();
  });

  it("when it comes from ourselves, under any address, then it is refused (A3)", () => {
    expect(received({ [pairOf(OWN, "https://alias.example")]: 1 }, "https://alias.example")).toBeUndefined();
    expect(received({ [pairOf(OWN, OWN)]: 1 }, OWN)).toBeUndefined();
  });

  it("when a pair becomes too long, then it is refused, and a key that is not a pair is unchanged", () => {
    expect(received({ [`${"x".repeat(480)} short`]: 1 }, "short")).toBeUndefined();
    expect(received({ "no-pair": 9 }, "short")?.hops).toEqual({ "no-pair": 9 });
  });

  it.each([
    ["HTTPS://There.Example:443/a2a/you/", "https://there.example/a2a/you"],
    ["http://there.example", "http://there.example"],
    ["urn:mooring/a2a/me", "urn:mooring/a2a/me"],
  ])("when an address is %s, then a pair contains %s", (address, normalised) => {
    expect(addressOf(address)).toBe(normalised);
  });
});

describe("given two agents that send every message back to each other", () => {
  const sendsBack = (to: string, message: string) => sends({ agent: to, message, msg_type: "notify" }, "done");

  it("when one starts, then the fourth message between them is refused", async () => {
    pair = await startPair(
      roles({ primary: sendsBack(PEER, "ping"), continuation: sendsBack(PEER, "ping") }),
      roles({ primary: sendsBack(AGENT, "pong"), continuation: sendsBack(AGENT, "pong") }),
    );
    const { core, peer } = pair;
    await core.receive(userMessage("m-1", "go"));
    await peer.requests.until((requests) => requests.length === 4);
    await counted(core, "turns_total harbour answered", 2);
    expect(core.meter.counts["peer_calls_total mooring notify"]).toBe(2);
    expect(core.meter.counts["peer_calls_total harbour notify"]).toBe(1);
    const last = peer.requests.items.at(-1)?.messages.at(-1);
    expect(last?.role === "tool" && last.results[0]?.output).toContain("reached the limit of messages about this work");
    expect(core.replies.items.filter(({ kind }) => kind === "final")).toHaveLength(1);
  });

  it("when each answer leads to another question, then the fourth question is refused", async () => {
    const again = sends({ message: "and then?", msg_type: "task_delegate" }, (outputs) => `done: ${outputs[0]}`);
    pair = await startPair(roles({ primary: again, continuation: again }), () => "more");
    const { core } = pair;
    await core.receive(userMessage("m-1", "go"));
    await untilUnsolicited(core, 3);
    expect(toolOutputs(core).filter((output) => output.startsWith("Not sent:"))).toHaveLength(1);
    expect(pair.peer.requests.items).toHaveLength(3);
  });
});

describe("given a peer that gets a message (A5)", () => {
  const look = () => calls({ name: "list_working_memory" });
  it.each([
    ["a notification", "notify", {}, 2],
    ["a question", "consult", {}, 2],
    ["delegated work", "task_delegate", {}, 8],
    ["a notification to an agent with fewer rounds", "notify", { maxToolRounds: 1 }, 1],
    ["a question to an agent with fewer rounds", "consult", { maxToolRounds: 1 }, 1],
    ["delegated work to an agent with its own budget", "task_delegate", { maxToolRounds: 3 }, 3],
  ])(
    "when it gets %s, then its last step has no tools, after its budget of tool rounds",
    async (_, mode, agent, rounds) => {
      pair = await startPair(
        roles({ primary: sends({ message: "work", msg_type: mode }) }),
        (request) => (request.toolChoice === "none" ? "that is all" : look()),
        { peerAgent: agent },
      );
      await pair.core.receive(userMessage("m-1", "go"));
      await counted(pair.core, "turns_total harbour answered", 1);
      const choices = pair.peer.requests.items.map(({ toolChoice }) => toolChoice);
      expect(choices).toEqual([...Array.from({ length: rounds }, () => "auto"), "none"]);
    },
  );

  it("when its turn runs, then it has no tools that act for people", async () => {
    const asked = { message: "work", msg_type: "consult" };
    pair = await startPair(roles({ primary: sends(asked) }), () => "that is all");
    await pair.core.ask("m-1", "go");
    const toolsOf = ({ requests }: ScriptedModel) => requests.items[0]?.tools.map(({ name }) => name);
    expect(toolsOf(pair.core.model)).toContain("schedule_task");
    for (const name of ["schedule_task", "list_schedules", "cancel_schedule", "run_schedule_now"]) {
      expect(toolsOf(pair.peer)).not.toContain(name);
    }
    expect(toolsOf(pair.peer)).toContain("send_message_to_agent");
  });

  it("when its delegated work has ended, then it still has none of them", async () => {
    const delegating = roles({ primary: () => "never", continuation: (asked) => delegatesOnce(asked) });
    const delegatesOnce = (asked: Asked) =>
      asked.text.startsWith("[message") ? delegates(["boats"], "on it")(asked) : "seven";
    pair = await startPair(roles({ primary: sends({ message: "work", msg_type: "consult" }) }), delegating);
    await pair.core.ask("m-1", "go");
    expect(toolOutputs(pair.core)[0]).toContain("seven");
    const tools = pair.peer.requests.items.flatMap((request) => request.tools.map(({ name }) => name));
    expect(tools).toContain("complete_subtask");
    expect(tools).not.toContain("schedule_task");
  });

  it("when it replies, then nothing is posted to people", async () => {
    pair = await startPair(roles({ primary: sends({ message: "fyi", msg_type: "notify" }) }), () => "secret thoughts");
    const { core } = pair;
    await core.receive(userMessage("m-1", "go"));
    await counted(core, "turns_total harbour answered", 1);
    await core.ask("m-2", "", { command: { name: "help", args: "" } });
    expect(await untilFinals(core, 1)).toHaveLength(1);
    expect(JSON.stringify(core.replies.items)).not.toContain("secret thoughts");
  });
});
