import { describe, expect, it } from "vitest";
import type { Explained } from "../../../core/commands/explain/explain.ts";
import { explain, explainPending } from "../../../core/commands/explain/explain.ts";
import type { WorkTree } from "../../../core/commands/explain/work-tree.ts";
import type { ReplyCause } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { Synthetic } from "../../../core/contract/messages/synthetic.ts";
import { causeOf } from "../../../core/origin/capture.ts";
import type { PlacedReply } from "../../../core/origin/reply-placements.ts";

const NOW = Date.parse("2026-03-10T21:00:00.000Z");
const home: Conversation = { channel: "web", room: "r", kind: "shared" };
const asker = { personId: "p", accountId: "ann", name: "Ann\n Lee" };
const cause: ReplyCause = { turnId: "t2", rootTurnId: "t1", asker, trigger: "synthesis", steps: [] };
const reply: PlacedReply = {
  replyId: "r",
  origin: { channel: "web", promptSummary: "compare tides", startedAt: "2026-03-10T20:00:00.000Z", sessionId: "s" },
  audience: { conversation: home, personId: "p" },
  sessionId: "s",
  cause,
  createdAt: "2026-03-10T21:00:00.000Z",
  places: [],
};
const step = (name: string, more: Partial<WorkTree> = {}): WorkTree => ({
  kind: "subtask",
  id: `id-${name}`,
  name,
  outcome: "completed",
  steps: [],
  ...more,
});
const lines = (more: Partial<Explained> = {}, origin: Partial<PlacedReply["origin"]> = {}) =>
  explain(
    {
      asked: undefined,
      work: [],
      conversations: [],
      pending: [],
      ...more,
      reply: { ...(more.reply ?? reply), origin: { ...reply.origin, ...origin } },
    },
    { timeZone: "UTC", locale: "en-GB" },
    NOW,
  ).split("\n");

describe("given a proactive message, when a person asks why it was sent (O13)", () => {
  it("then the answer says what was asked, by whom, where and when, and what triggered it", () => {
    expect(lines()).toEqual([
      "**What was asked:** “compare tides”, asked by Ann Lee in Web, 20:00 (1h ago).",
      "**Why now:** all delegated work had finished.",
    ]);
  });

  it("when the prompt is still stored, then it is shown in one line, cut and without secrets", () => {
    const [first = ""] = lines({ asked: `  look at\n\nsk-${"a".repeat(20)} ${"word ".repeat(200)}` });
    expect(first).toMatch(/^\*\*What was asked:\*\* “look at ••• word word/);
    expect(first.split("”")[0]?.length).toBeLessThanOrEqual("**What was asked:** “".length + 400);
    expect(first).toContain("…”");
  });

  it("when the prompt is very long, then only its beginning is read", () => {
    expect(lines({ asked: `${" ".repeat(4_000)}beyond` })[0]).toContain("“”");
    expect(lines({ asked: `${" ".repeat(3_994)}before` })[0]).toContain("“before”");
  });

  it("when a schedule or another agent started it, then its title is shown, and its prompt if that differs", () => {
    expect(lines({}, { channel: "scheduled" })[0]).toBe(
      "**What it is about:** “compare tides”, on a schedule, 20:00 (1h ago).",
    );
    expect(lines({ asked: "compare tides" }, { channel: "scheduled" })[0]).not.toContain("It says");
    expect(lines({ asked: "with a chart" }, { channel: "a2a-inbound" })[0]).toBe(
      "**What it is about:** “compare tides”, from another agent, 20:00 (1h ago). It says: “with a chart”.",
    );
  });

  it("when its cause is unknown, then the answer is general", () => {
    const { cause: _, ...older } = reply;
    expect(lines({ reply: older })).toEqual([
      "**What was asked:** “compare tides”, asked in Web, 20:00 (1h ago).",
      "**Why now:** I was working in the background, and this is the result.",
    ]);
    expect(lines({ reply: { ...reply, cause: { ...cause, trigger: "new kind" } } })[1]).toContain("in the background");
  });

  it("then the steps are listed, each with its own steps", () => {
    const work = [
      step("north", { steps: [step("deep", { outcome: undefined, steps: [step("deeper")] })] }),
      step("peer\nagent", { kind: "peer", outcome: "answered" }),
      step("Stretch", { kind: "schedule", outcome: undefined }),
    ];
    expect(lines({ work }).slice(2)).toEqual([
      "**What was done:**",
      "- north: completed",
      "  - deep",
      "    - deeper: completed",
      "- peer agent: answered",
      "- schedule `id-Stretch`: Stretch",
    ]);
  });

  it("when there are more than forty steps, then the rest is counted", () => {
    const steps = (count: number) => lines({ work: Array.from({ length: count }, (_, n) => step(`s${n}`)) }).slice(3);
    expect(steps(40)).toHaveLength(40);
    expect(steps(40).at(-1)).toBe("- s39: completed");
    expect(steps(42)).toHaveLength(41);
    expect(steps(42).at(-2)).toBe("- s39: completed");
    expect(steps(42).at(-1)).toBe("- and 2 more");
  });

  it("when work was done, then the conversations stand below the list, not in its last item", () => {
    expect(lines({ work: [step("tides")], conversations: [home] }).slice(-4)).toEqual([
      "**What was done:**",
      "- tides: completed",
      "",
      "**Shown in:** Web (where it began).",
    ]);
    expect(lines({ work: [step("tides")] }).at(-1)).toBe("- tides: completed");
  });

  it("then the answer lists the visible conversations that show it", () => {
    const conversations: Conversation[] = [
      home,
      { channel: "web", room: "dm", kind: "private" },
      { channel: "cli", room: "x", kind: "shared" },
    ];
    expect(lines({ conversations }).at(-1)).toBe("**Shown in:** Web (where it began), Web (private), CLI (a room).");
  });

  it("when deliveries wait or failed, then the answer says where, until when and why", () => {
    const dm: Conversation = { channel: "slack", room: "dm", kind: "private" };
    const pending = [
      { replyId: "r", about: "compare tides", target: dm, state: { heldUntil: NOW + 3_600_000 } },
      { replyId: "r", about: "compare tides", target: { ...dm, channel: "teams" }, state: { heldUntil: 0 } },
      { replyId: "r", about: "compare tides", target: home, state: { failed: "target-gone: the room is archived" } },
    ];
    expect(lines({ pending }).at(-1)).toBe(
      "**Not shown yet:** Slack (private), held until 22:00; Teams (private), held until I can reach it; " +
        "Web (where it began), not delivered: the conversation no longer exists (the room is archived), see `/inbox`.",
    );
    const viewer = { timeZone: "UTC", locale: "en-GB" };
    expect(explainPending(pending.slice(0, 1), viewer, NOW)).toBe(
      "**Messages that have not reached you yet:**\n- “compare tides”, for Slack (private), held until 22:00",
    );
    const many = Array.from({ length: 13 }, () => pending[0]).filter((one) => one !== undefined);
    expect(explainPending(many, viewer, NOW).split("\n").slice(11)).toEqual([
      "- and 3 more: see `/status` and `/inbox`",
    ]);
  });

  it("when the platform has a link to the message, then it is offered if it is a plain http(s) address", () => {
    const link = "https://chat.example/m/1";
    expect(lines({}, { link }).at(-1)).toBe(`[Go to the first message](${link})`);
    for (const bad of ["javascript:x", "https://a b", "https://a)", `x ${link}`, `${link} x`, "https://"]) {
      expect(lines({}, { link: bad })).toHaveLength(2);
    }
    expect(lines({}, { link: "http://chat.example/m" })).toHaveLength(3);
  });
});

describe("given a turn of a synthetic message, when its cause is recorded (O13)", () => {
  const read = (type: string, data: unknown, more: Partial<Synthetic> = {}): Synthetic =>
    Synthetic.parse({
      type,
      sessionId: "s",
      origin: reply.origin,
      audience: reply.audience,
      asker,
      owner: { ownerType: "agent", ownerId: "s" },
      background: false,
      data,
      ...more,
    });
  const stepsOf = (type: string, data: unknown) => causeOf(read(type, data), "t2").steps;

  it("then the cause names the turn, the root turn, the asker and the trigger", () => {
    expect(causeOf(read("synthesis", undefined, { rootTurnId: "t1" }), "t2")).toEqual({ ...cause, steps: [] });
    expect(causeOf(read("synthesis", undefined), "t2").rootTurnId).toBe("t2");
  });

  it("then the cause names the work: a schedule by its title, subtasks and peers by name", () => {
    const subtasks = [{ id: "subtask-1", name: "north", timedOut: false }];
    const late = { id: "call-2", name: "west", kind: "result", key: "k", isKept: true, peer: "harbour" };
    expect(stepsOf("task", { schedule: { owner: "web/ann", id: "schedule-1", run: "r" } })).toEqual([
      { kind: "schedule", id: "schedule-1", name: "compare tides" },
    ]);
    expect(stepsOf("synthesis", { subtasks })).toEqual([{ kind: "subtask", id: "subtask-1", name: "north" }]);
    expect(stepsOf("amendment", { subtasks })).toEqual([{ kind: "subtask", id: "subtask-1", name: "north" }]);
    expect(stepsOf("wake-up", { type: "question", subtask: "subtask-2", name: "south", content: "?" })).toEqual([
      { kind: "subtask", id: "subtask-2", name: "south" },
    ]);
    expect(stepsOf("callback", { call: "call-1", peer: "harbour", name: "south" })).toEqual([
      { kind: "peer", id: "call-1", name: "south" },
    ]);
    expect(stepsOf("late", { calls: [late] })).toEqual([{ kind: "peer", id: "call-2", name: "west" }]);
    expect(stepsOf("peer", { mode: "consult" })).toEqual([]);
  });

  it("when its payload is missing or invalid, then the cause names no work; fields of other types are ignored", () => {
    expect(stepsOf("wake-up", { subtask: "subtask-2" })).toEqual([]);
    expect(stepsOf("wake-up", { name: "south" })).toEqual([]);
    expect(stepsOf("task", { schedule: "x" })).toEqual([]);
    expect(stepsOf("task", undefined)).toEqual([]);
    expect(stepsOf("synthesis", { subtasks: 7 })).toEqual([]);
    expect(stepsOf("late", { calls: [{}] })).toEqual([]);
    const broken = { schedule: "x", subtasks: 7, calls: [{}] };
    expect(stepsOf("callback", { ...broken, call: "call-1", peer: "harbour", name: "south" })).toEqual([
      { kind: "peer", id: "call-1", name: "south" },
    ]);
  });
});
