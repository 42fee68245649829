import { afterEach, describe, expect, it } from "vitest";
import { slotKey } from "../../../core/budgets/slot-record.ts";
import { unlinkedPersonId } from "../../../core/people/index.ts";
import { calls, type Script, says } from "../../fakes/scripted-model.ts";
import { asks, startPair, untilUnsolicited } from "../a2a/peers-under-test.ts";
import { CoreUnderTest, type TestOptions, userMessage } from "../core-under-test.ts";
import { delegates, roles, spawns } from "../subtasks/delegating.ts";
import { sampleAccount } from "./sample-account.ts";

let core: CoreUnderTest;
const finish: (() => void)[] = [];
afterEach(async () => {
  for (const end of finish.splice(0)) end();
  await core.dispose();
});

const limits = (turnsAtOnce: number, fields: object = {}) => ({ turnsAtOnce, unattendedShare: 0.9, ...fields });
/** The test finishes each answer. */
const held: Script = () => () =>
  new Promise<ReturnType<typeof says>>((resolve) => finish.push(() => resolve(says("done"))));
const start = async (budgets: NonNullable<NonNullable<TestOptions["agent"]>["budgets"]>, script = held) => {
  core = await CoreUnderTest.start(script, { agent: { budgets }, heldByClock: true });
};
const write = (id: string, account = "ann") =>
  core.receive(
    userMessage(id, id, {
      account: { id: account, name: account },
      conversation: { channel: "web", room: id, kind: "private" },
    }),
  );
const asked = () => core.model.requests.items.map(({ messages }) => JSON.stringify(messages.at(-1)));
const notices = () => core.replies.items.filter(({ kind }) => kind === "notice");
const placesOfAnn = slotKey(sampleAccount({ subject: unlinkedPersonId("default", "web", "ann") }));
/** Lets the next poll of the line, the next notice or the next renewal pass. */
const poll = () => core.clock.passNext(1_000);

describe("given a person with two turns at once, and two processes", () => {
  const budgets = { ofAgent: { person: limits(2) } };

  it("when they write three messages at once, then the third waits for one to end, with one notice, and another person does not wait (R2)", async () => {
    await start(budgets);
    const second = await core.startCore({ agent: { budgets } });
    for (const id of ["a1", "a2"]) await write(id);
    await core.model.requests.count(2);
    await write("a3");
    await core.clock.passNext(5_000);
    await core.replies.until(() => notices().length > 0);
    await write("b1", "bob");
    await core.model.requests.count(3);
    expect(asked().filter((text) => text.includes("a3"))).toEqual([]);
    expect(notices()).toMatchObject([
      {
        markdown:
          "I work on at most 2 of your messages at once. This one waits in line; I will answer it as soon as I can.",
        audience: { conversation: { room: "a3" } },
      },
    ]);
    finish.shift()?.();
    await core.model.requests.count(4);
    expect(asked().at(-1)).toContain("a3");
    for (const end of finish.splice(0)) end();
    for (const id of ["a1", "a2", "a3", "b1"]) expect((await core.replyTo(id)).markdown).toBe("done");
    await second.stop();
    await core.stopCore();
    expect(notices()).toHaveLength(1);
    expect(await core.backbone.store.get(placesOfAnn)).toBeUndefined();
  });

  it("when a process is gone that held their turns, then its places expire and the next message runs (R2)", async () => {
    await start(budgets);
    const until = core.clock.now() + 60_000;
    const running = ["t-gone-1", "t-gone-2"].map((id) => ({ id, until, unattended: false }));
    await core.backbone.store.put(placesOfAnn, { running, waiting: [] });
    await write("a1");
    await poll();
    expect(asked()).toEqual([]);
    for (let second = 1; second < 60; second++) await poll();
    await core.model.requests.count(1);
    finish.shift()?.();
    expect((await core.replyTo("a1")).markdown).toBe("done");
  });
});

describe("given one turn at once for everything that an agent or a tenant does", () => {
  const one = { ofAgent: { agent: limits(1) }, ofTenant: { tenant: limits(1) } };

  it("when a turn asks another agent and waits for the answer, then the other agent's turn does not wait (R2)", async () => {
    const budgets = { agent: { budgets: one }, peerAgent: { budgets: one } };
    const consults = asks({ message: "any ships?", msg_type: "consult" }, (outputs) => `told: ${outputs.join()}`);
    ({ core } = await startPair(consults, () => "three ships", budgets));
    expect((await core.ask("m-1", "go")).markdown).toContain("three ships");
  });

  it("when the other agent delegates before it answers, then its synthesis does not wait either", async () => {
    const budgets = { agent: { budgets: one }, peerAgent: { budgets: one } };
    const consults = asks({ message: "any ships?", msg_type: "consult" }, (outputs) => `told: ${outputs.join()}`);
    const looks = roles({ primary: () => "none", continuation: () => "four ships" });
    const peer: Script = (request) => {
      const last = request.messages.at(-1);
      const isRequest = last?.role === "user" && last.text.includes("any ships?");
      return isRequest ? spawns(["look"]) : last?.role === "tool" ? "looking" : looks(request);
    };
    ({ core } = await startPair(consults, peer, budgets));
    expect((await core.ask("m-1", "go")).markdown).toContain("four ships");
  });

  it("when a turn delegates, then its subtasks run and its synthesis follows", async () => {
    await start(one, roles({ primary: delegates(["a", "b"], "on it"), continuation: () => "all done" }));
    expect((await core.ask("m-1", "go")).markdown).toBe("on it");
    expect((await untilUnsolicited(core))[0]?.markdown).toBe("all done");
  });

  it("when a schedule is due during a person's turn, then its run waits and is not lost, and the person gets no notice of it", async () => {
    const remind = calls({
      name: "schedule_task",
      input: { description: "Tea", prompt: "drink tea", when: "in 20 s" },
    });
    await start(one, (request) => {
      const last = request.messages.at(-1);
      if (last?.role === "tool") return "ok";
      const text = last?.role === "user" ? last.text : "";
      if (text === "remind me") return remind;
      return text === "long" ? held(request, 0) : "tea time";
    });
    await core.ask("m-1", "remind me");
    await core.receive(userMessage("m-2", "long", {}));
    await core.model.requests.count(3);
    await core.clock.passNextOf((ms) => ms > 15_000 && ms <= 20_000);
    await core.clock.waits.until((waits) => waits.includes(30_000));
    expect(core.model.requests.items).toHaveLength(3);
    finish.shift()?.();
    expect((await untilUnsolicited(core))[0]?.markdown).toBe("tea time");
    expect(notices()).toEqual([]);
  });
});
