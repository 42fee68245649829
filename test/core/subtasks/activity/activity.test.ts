import { afterEach, describe, expect, it } from "vitest";
import { Activity, AgentReply } from "../../../../core/contract/messages/agent-reply.ts";
import { calls } from "../../../fakes/scripted-model.ts";
import { type CoreUnderTest, userMessage } from "../../core-under-test.ts";
import {
  type Asked,
  completions,
  delegates,
  Held,
  roles,
  startDelegating,
  subtaskIds,
  untilBegun,
  untilFinals,
} from "../delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const activityOf = (reply: AgentReply | undefined) => reply?.data?.activity as Record<string, unknown>;
const entries = () => core.replies.items.filter(({ kind }) => kind === "progress" || kind === "completion");
const progress = (count: number) =>
  core.replies.until((replies) => replies.filter(({ kind }) => kind === "progress").length >= count);

describe("given a turn whose subtasks are running", () => {
  it("when they make progress, then one entry shows it at most once a second, and always its last state (B1, D8)", async () => {
    const [a, b] = [new Held(), new Held()];
    const subagent = ({ text, outputs }: Asked) => {
      if (text === "do b") return b.answer;
      return outputs.length === 0
        ? calls({ name: "notify_owner", input: { type: "status_update", content: "half\nway" } })
        : a.answer;
    };
    core = await startDelegating(roles({ primary: delegates(["a", "b"], "on it"), subagent }));
    await core.ask("m-1", "go");
    await Promise.all([a.asked, b.asked]);
    for (const id of subtaskIds(core)) await untilBegun(core, id);
    core.clock.advance(500);
    await progress(1);
    const [first] = entries();
    const idOf = (name: string) => Activity.parse(activityOf(first)).items.find((item) => item.name === name)?.id;
    expect(activityOf(first)).toMatchObject({
      title: "Working on: a and b",
      items: [
        { name: "a", state: "running", note: "half way", startedAt: expect.any(String) },
        { name: "b", state: "running" },
      ],
    });
    expect(first).toMatchObject({
      kind: "progress",
      markdown: `Working on: a and b\n- a: working (half way) \`${idOf("a")}\`\n- b: working \`${idOf("b")}\``,
      actions: [
        { name: "cancel", label: "Cancel “a”", value: idOf("a") },
        { name: "cancel", label: "Cancel “b”", value: idOf("b") },
      ],
    });
    a.give(`result ${"x".repeat(400)}`);
    await core.clock.passNext(800, 1_000);
    await progress(2);
    b.give("done");
    const [, answer] = await untilFinals(core, 2);
    await core.replies.until((replies) => completions(replies).length === 1);
    const all = entries();
    expect(all.map(({ kind }) => kind)).toEqual(["progress", "progress", "completion"]);
    const revisions = all.map((reply) => activityOf(reply).revision as number);
    expect(revisions).toEqual([...revisions].sort((x, y) => x - y));
    expect(new Set(revisions).size).toBe(3);
    const turnId = all[0]?.id.split("/")[0];
    for (const reply of all) {
      expect(AgentReply.parse(reply)).toMatchObject({ origin: answer?.origin, audience: answer?.audience });
      expect(reply).not.toHaveProperty("correlationId");
      expect(activityOf(reply).id).toBe(`${turnId}/activity`);
      expect(reply.id).toBe(`${turnId}/activity/${activityOf(reply).revision}`);
    }
    const items = activityOf(all[2]).items as { state: string; result: string; endedAt: string }[];
    expect(items.map(({ state }) => state)).toEqual(["completed", "completed"]);
    expect(all[1]?.actions).toEqual([expect.objectContaining({ value: idOf("b") })]);
    expect(all[2]).toMatchObject({ markdown: "Worked on: a and b\n- a: done\n- b: done" });
    expect(all[2]).not.toHaveProperty("actions");
    expect(items[0]?.result.length).toBeLessThanOrEqual(300);
  });

  it("when all end within half a second, then only the last state is published", async () => {
    core = await startDelegating(roles({ primary: delegates(["a", "b"], "on it") }));
    await core.receive(userMessage("m-1", "go"));
    await core.replies.until((replies) => completions(replies).length === 1);
    core.clock.advance(5_000);
    await untilFinals(core, 2);
    expect(entries().map(({ kind }) => kind)).toEqual(["completion"]);
  });
});
