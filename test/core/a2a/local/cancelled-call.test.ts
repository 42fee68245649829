import { afterEach, describe, expect, it } from "vitest";
import { type PeerCall, peerSessionOf } from "../../../../core/a2a/record/peer-call.ts";
import { readSubtask } from "../../../../core/subtasks/index.ts";
import { readOwner } from "../../../../core/subtasks/owner/owner-record.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import type { Answer, Script } from "../../../fakes/scripted-model.ts";
import { userMessage } from "../../core-under-test.ts";
import { Held, spawns } from "../../subtasks/delegating.ts";
import { asks, type Pair, PEER, startPair, theCall } from "../peers-under-test.ts";

let pair: Pair;
afterEach(() => pair.core.dispose());

/** Time to gather the running turns of all processes. */
const GATHER_MS = 150;

/** A model step that runs until it is stopped. */
const steps = () => ({ begun: new Recorder<string>(), stopped: new Recorder<string>() });
const runs = ({ begun, stopped }: ReturnType<typeof steps>): Answer => {
  return ({ signal }) =>
    new Promise((_, reject) => {
      begun.add("step");
      signal.addEventListener("abort", () => {
        stopped.add(String(signal.reason));
        reject(signal.reason);
      });
    });
};

const start = async (peer: Script) => {
  pair = await startPair(asks({ message: "count the boats", msg_type: "task_delegate" }), peer);
  await pair.core.ask("m-1", "go");
  return pair.core;
};
const cancelAll = async (id: string): Promise<string> => {
  const { core } = pair;
  await core.receive(userMessage(id, "", { command: { name: "cancel", args: "all" } }));
  await core.clock.passNext(GATHER_MS);
  return (await core.replyTo(id)).markdown;
};
/** Neither agent says anything more, also not after another message. */
const staysSilent = async () => {
  await pair.core.ask("m-9", "hello");
  const finals = pair.core.replies.items.filter(({ kind, correlationId }) => kind === "final" && !correlationId);
  expect(finals).toEqual([]);
};
const membersOf = async (call: PeerCall) => {
  const owner = { tenant: "default", agent: PEER, ownerId: peerSessionOf(call) };
  return Object.values((await readOwner(pair.core.backbone.store, owner)).batches).flatMap(({ members }) => members);
};

describe("given work that another agent of this deployment does (I3)", () => {
  it("when the person cancels everything, then the other agent's turn is stopped, and no answer follows", async () => {
    const work = steps();
    const core = await start(() => runs(work));
    await work.begun.count(1);
    expect(await cancelAll("m-2")).toContain("I ended 1 call to another agent.");
    expect(await work.stopped.count(1)).toHaveLength(1);
    expect(await theCall(core)).toMatchObject({ state: "failed", cancelledAt: expect.any(String) });
    pair.peer.follow(() => "again");
    core.model.follow(() => "fine");
    await staysSilent();
    expect(pair.peer.requests.items).toHaveLength(1);
  });

  it("when it has delegated, then its subtasks are cancelled too, and it does not summarise them", async () => {
    const held = new Held();
    const core = await start(({ tools, messages }) => {
      if (tools.some(({ name }) => name === "complete_subtask")) return held.answer;
      return messages.at(-1)?.role === "tool" ? "on it" : spawns(["north", "south"]);
    });
    await held.asked;
    await cancelAll("m-2");
    const call = await theCall(core);
    const states = async () => {
      const subtasks = (await membersOf(call)).map(({ id }) =>
        readSubtask(core.backbone.store, { tenant: "default", agent: PEER, id }),
      );
      return (await Promise.all(subtasks)).map((subtask) => subtask?.status);
    };
    await expect.poll(states).toEqual(["cancelled", "cancelled"]);
    core.model.follow(() => "fine");
    await staysSilent();
    const prompts = pair.peer.requests.items.map(({ messages }) => messages.at(-1));
    expect(prompts.filter((last) => last?.role === "user" && last.text.includes("Cancelled"))).toEqual([]);
  });

  it("when its turn waits behind another one, then it does not begin", async () => {
    const work = steps();
    const core = await start(() => runs(work));
    await work.begun.count(1);
    await core.ask("m-2", "go again");
    expect(await cancelAll("m-3")).toContain("I ended 2 calls to other agents.");
    await work.stopped.count(1);
    core.model.follow(() => "fine");
    await staysSilent();
    expect(work.begun.items).toHaveLength(1);
  });
});
