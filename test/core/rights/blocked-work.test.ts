import { afterEach, describe, expect, it } from "vitest";
import { blockAccount } from "../../../core/rights/block-record.ts";
import { runsOf } from "../../../core/schedules/runs/run-record.ts";
import { schedulesOf } from "../../../core/schedules/schedule-record.ts";
import { calls } from "../../fakes/scripted-model.ts";
import type { CoreUnderTest } from "../core-under-test.ts";
import { AGENT, userMessage } from "../core-under-test.ts";
import { delegates, Held, roles, startDelegating, untilFinals } from "../subtasks/delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const collected = async <T>(list: AsyncIterable<{ readonly value: T }>): Promise<T[]> => {
  const values: T[] = [];
  for await (const { value } of list) values.push(value);
  return values;
};

const block = () =>
  blockAccount(core.backbone, {
    tenant: "default",
    channel: "web",
    accountId: "ann",
    at: "2026-03-10T21:00:00.000Z",
  });

describe("given work of an account that an operator blocks (R3)", () => {
  it("when its turn runs, then the turn ends at once, and queued messages do not reach the model", async () => {
    const held = new Held();
    core = await startDelegating(roles({ primary: ({ text }) => (text === "think" ? held.answer : "an answer") }));
    await core.receive(userMessage("m-1", "think"));
    await held.asked;
    await core.receive(userMessage("m-2", "and this"));
    await block();
    expect(await core.replyTo("m-1")).toMatchObject({ outcome: "cancelled", markdown: "" });
    expect(await core.replyTo("m-2")).toMatchObject({ outcome: "cancelled", markdown: "" });
    expect(core.model.requests.items).toHaveLength(1);
    const bob = { id: "bob", name: "Bob" };
    const conversation = { channel: "web", room: "b", kind: "private" } as const;
    expect((await core.ask("m-3", "hello", { account: bob, conversation })).markdown).toBe("an answer");
  });

  it("when its subtasks run, then they are cancelled, and the model does not read their results", async () => {
    const held = new Held();
    core = await startDelegating(roles({ primary: delegates(["dig"], "on it"), subagent: () => held.answer }));
    await core.ask("m-1", "go");
    await held.asked;
    await block();
    const [, synthesis] = await untilFinals(core, 2);
    expect(synthesis).toMatchObject({ outcome: "cancelled", markdown: "" });
    const prompts = JSON.stringify(core.model.requests.items.map(({ messages }) => messages));
    expect(prompts).not.toContain("[results of delegated work]");
  });

  it("when its schedule is due, then the run is skipped with the reason, and the schedule continues", async () => {
    core = await startDelegating(
      roles({
        primary: ({ text, outputs }) =>
          text === "remind me" && outputs.length === 0
            ? calls({ name: "schedule_task", input: { when: "every 1 h", prompt: "drink", description: "water" } })
            : "done",
      }),
    );
    await core.ask("m-1", "remind me");
    await block();
    const asked = core.model.requests.items.length;
    const { store } = core.backbone;
    const made = await collected(store.list(schedulesOf({ tenant: "default", agent: AGENT, owner: "web/ann" })));
    const runs = () => (made[0] === undefined ? Promise.resolve([]) : collected(store.list(runsOf(made[0]))));
    core.clock.advance(3_600_000);
    while ((await runs()).length === 0) {
      core.clock.advance(1_000);
      await new Promise(setImmediate);
    }
    expect(await runs()).toMatchObject([{ state: "skipped", reason: "the account that made it is blocked" }]);
    expect(core.model.requests.items).toHaveLength(asked);
  });
});
