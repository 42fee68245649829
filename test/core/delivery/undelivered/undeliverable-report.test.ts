import { beforeEach, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../../core/contract/messages/agent-reply.ts";
import { conversationKey } from "../../../../core/contract/messages/conversation.ts";
import type { Audience } from "../../../../core/contract/messages/work-context.ts";
import type { Bus } from "../../../../core/contract/ports/bus.ts";
import { english } from "../../../../core/contract/texts/texts.ts";
import type { Destination } from "../../../../core/delivery/destination.ts";
import {
  fallbackConversation,
  reportUndeliverable,
} from "../../../../core/delivery/undelivered/undeliverable-report.ts";
import {
  UNDELIVERABLE_FIELD,
  type UndeliverableResult,
  undeliverableNotice,
  undeliverableResultOf,
} from "../../../../core/delivery/undelivered/undeliverable-result.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { sampleReply } from "../../../fakes/sample-reply.ts";
import { privateOn, roomOn, storePerson } from "../person-on-channels.ts";

const AT = "2026-03-10T21:00:00.000Z";
const WEEK_MS = 7 * 24 * 3_600_000;
const audience: Audience = { conversation: privateOn("b"), personId: "p", accountId: "ann", membership: 3 };
const undeliverable: UndeliverableResult = {
  kind: "scheduled",
  id: "schedule-1",
  title: "Stretch",
  audience,
  reason: "target-gone: deleted",
  instead: "It is in your inbox.",
  tried: [privateOn("b")],
};

let clock: ManualClock;
let store: MemoryStore;
let logger: RecordingLogger;
let published: AgentReply[];
let checkpoints: string[];
beforeEach(() => {
  clock = new ManualClock(Date.parse(AT));
  store = new MemoryStore(clock);
  logger = new RecordingLogger();
  published = [];
  checkpoints = [];
});

describe("given a reply that was rejected permanently", () => {
  const origin = {
    channel: "scheduled",
    promptSummary: "Stretch",
    startedAt: AT,
    sessionId: null,
    taskId: "schedule-1",
  };
  const result = (more: Partial<AgentReply> = {}) =>
    sampleReply("r", privateOn("b"), "time", { origin, audience, ...more });
  const of = (reply: AgentReply, target = privateOn("b")) =>
    undeliverableResultOf(reply, target, { reason: "target-gone: deleted", instead: "It is in your inbox." });

  it("when it is a proactive result for this conversation, then it is reported", () => {
    expect(of(result())).toEqual(undeliverable);
    const { taskId: _, ...peers } = { ...origin, channel: "a2a-inbound" };
    expect(of(result({ origin: peers }))).toEqual({ ...undeliverable, kind: "a2a-inbound", id: undefined });
  });

  it.each([
    ["it is not a final", { kind: "progress" }],
    ["it is solicited", { correlationId: "m" }],
    ["a person started the work", { origin: { ...origin, channel: "web" } }],
    ["it is a notice", { kind: "notice", origin: null }],
  ] as const)("when %s, then it is not reported", (_, more) => {
    expect(of(result(more))).toBeUndefined();
  });

  it("when a secondary target rejected it, then it is not reported", () => {
    expect(of(result(), privateOn("c"))).toBeUndefined();
  });

  it("when it is a report itself, then the same result is reported in the next conversation", () => {
    const report = sampleReply("r/gone", privateOn("a"), "words", {
      kind: "notice",
      origin: null,
      data: { [UNDELIVERABLE_FIELD]: undeliverable },
    });
    expect(of(report, privateOn("a"))).toEqual({ ...undeliverable, tried: [privateOn("b"), privateOn("a")] });
  });
});

describe("given the notice about an undeliverable result (P2, D3)", () => {
  it("when the reader owns it, then the notice says what, where, why, where it is instead and how to cancel it", () => {
    expect(undeliverableNotice(undeliverable, true, english)).toBe(
      "The result of the schedule “Stretch” could not be delivered on B: the conversation no longer exists (deleted). " +
        "It is in your inbox. To cancel the schedule, use `/schedules cancel schedule-1`.",
    );
    expect(undeliverableNotice({ ...undeliverable, instead: "", id: undefined, tried: [] }, true, english)).toBe(
      "The result of the schedule “Stretch” could not be delivered: the conversation no longer exists (deleted).",
    );
  });

  it("when another person owns it, then the notice names neither owner nor subject", () => {
    expect(undeliverableNotice(undeliverable, false, english)).toBe(
      "The result of a person's schedule (schedule-1) could not be delivered on B: the conversation no longer exists " +
        "(deleted). If it was sent, the operator of this service can find it in the dead letters.",
    );
    expect(undeliverableNotice({ ...undeliverable, id: undefined }, false, english)).toContain(
      "The result of a person's schedule could not",
    );
    expect(undeliverableNotice({ ...undeliverable, kind: "a2a-inbound" }, false, english)).toContain(
      "The result of work for another agent could",
    );
  });

  it("when no person owns it, then the notice has its title", () => {
    expect(undeliverableNotice({ ...undeliverable, audience: undefined }, false, english)).toContain(
      "the schedule “Stretch”",
    );
    const peers = { ...undeliverable, kind: "a2a-inbound", audience: { conversation: roomOn("b"), personId: null } };
    expect(undeliverableNotice(peers, false, english)).toContain(
      "The result of “Stretch”, which another agent asked for, could not",
    );
  });
});

describe("given an undeliverable result, when a fallback conversation is chosen (P2)", () => {
  const look = async (more: Partial<UndeliverableResult> = {}, home?: Destination, closed: readonly string[] = []) => {
    const fallback = await fallbackConversation(
      { store, home, hasChannel: (name) => !closed.includes(name) },
      "default",
      {
        ...undeliverable,
        ...more,
      },
    );
    return (
      fallback &&
      `${fallback.audience.conversation.channel}/${fallback.audience.conversation.room} ${fallback.isForAsker}`
    );
  };
  const lobby: Destination = { conversation: roomOn("a", "lobby") };

  it("then it is the last active private conversation of the person", async () => {
    await storePerson(store, ["a", "b", "c"]);
    expect(await look()).toBe("a/dm true");
  });

  it("when that one was tried or its channel was removed, then it is the newest of the others", async () => {
    await storePerson(store, ["a", "b", "c", "d"]);
    expect(await look({ tried: [privateOn("b"), privateOn("a")] })).toBe("d/dm true");
    expect(await look({}, lobby, ["a", "d"])).toBe("c/dm true");
  });

  it("when the person has no other, then it is the agent's home, unless that was tried or removed", async () => {
    await storePerson(store, ["b"]);
    expect(await look({}, lobby)).toBe("a/lobby false");
    expect(await look({ tried: [privateOn("b"), roomOn("a", "lobby")] }, lobby)).toBeUndefined();
    expect(await look({}, lobby, ["a"])).toBeUndefined();
    expect(await look()).toBeUndefined();
  });

  it("when no person owns it, then it is the agent's home", async () => {
    await storePerson(store, ["a", "b"]);
    expect(await look({ audience: undefined }, lobby)).toBe("a/lobby false");
  });

  it("when an account was linked after the work began, then it is not a fallback (D3)", async () => {
    await storePerson(store, ["a", "b"], {
      accounts: ["a", "b"].map((channel) => ({
        channel,
        accountId: "ann",
        name: "Ann",
        since: AT,
        joined: channel === "a" ? 4 : 1,
      })),
      membership: 4,
    });
    expect(await look()).toBeUndefined();
  });

  it("then the report stores the asking account, so that unlinking removes access to it (D3)", async () => {
    await storePerson(store, ["a", "b"]);
    const fallback = await fallbackConversation({ store, hasChannel: () => true }, "default", undeliverable);
    expect(fallback?.audience).toEqual({
      conversation: privateOn("a"),
      personId: "p",
      accountId: "ann",
      membership: 3,
      askedBy: { channel: "b", accountId: "ann" },
    });
  });
});

describe("given an undeliverable result, when it is reported (P2)", () => {
  const report = (id: string, more: Partial<UndeliverableResult> = {}) => {
    const publish: Bus["publish"] = async (_, message) => {
      published.push(message as AgentReply);
      return "stored";
    };
    const checkpoint = async (name: string) => {
      checkpoints.push(name);
    };
    const deps = { bus: { publish } as Bus, store, clock, logger, checkpoint, hasChannel: () => true };
    return reportUndeliverable(
      deps,
      { ...undeliverable, ...more },
      { id, tenant: "default", agent: "mooring", traceId: "t" },
    );
  };

  it("then its person gets one notice, which carries the result in case the notice is rejected too", async () => {
    await storePerson(store, ["a", "b"]);
    await report("r1");
    expect(published).toMatchObject([
      {
        id: "r1/gone",
        kind: "notice",
        origin: null,
        sessionId: null,
        markdown: undeliverableNotice(undeliverable, true, english),
        audience: { conversation: privateOn("a") },
        data: { [UNDELIVERABLE_FIELD]: { tried: [privateOn("b")] } },
        mayRepeat: true,
        createdAt: AT,
      },
    ]);
    expect(checkpoints).toEqual(["undeliverable.settled", "undeliverable.published"]);
    expect(logger.lines.items).toEqual([]);
  });

  it("when the schedule runs again, then the next notice is sent after a week", async () => {
    await storePerson(store, ["a", "b"]);
    await report("r1");
    clock.advance(WEEK_MS - 1);
    await report("r2");
    expect(published.map(({ id }) => id)).toEqual(["r1/gone"]);
    clock.advance(1);
    await report("r3");
    expect(published.map(({ id }) => id)).toEqual(["r1/gone", "r3/gone"]);
  });

  it("when another schedule or another target is unreachable, then that is reported too", async () => {
    await storePerson(store, ["a", "b", "c"]);
    await report("r1");
    await report("r2", { id: "schedule-2" });
    await report("r3", { tried: [privateOn("c")] });
    await report("r4", { id: undefined, title: "Call" });
    await report("r5", { id: undefined, title: "Walk" });
    expect(published.map(({ id }) => id)).toEqual(["r1/gone", "r2/gone", "r3/gone", "r4/gone", "r5/gone"]);
  });

  it("when a process crashed in between, then the retry publishes the same notice, wherever the person is by then", async () => {
    await storePerson(store, ["a", "b", "c"]);
    await report("r1");
    await storePerson(store, ["a", "b", "c"], { lastActive: conversationKey(privateOn("c")) });
    clock.advance(5_000);
    await report("r1");
    expect(published[1]).toEqual(published[0]);
  });

  it("when two processes report it at the same time, then one notice is published", async () => {
    await storePerson(store, ["a", "b"]);
    await Promise.all([report("r1"), report("r2")]);
    expect(published).toHaveLength(1);
  });

  it("when there is no fallback conversation, then the log says what to configure and nothing is published", async () => {
    await report("r1");
    expect(published).toEqual([]);
    expect(logger.lines.items).toMatchObject([{ level: "error", fields: { what: "schedule-1", traceId: "t" } }]);
    expect(logger.lines.items[0]?.message).toContain("set `home`");
    await report("r2", { id: undefined, title: "Call", kind: "a2a-inbound" });
    expect(logger.lines.items[1]?.fields.what).toBe("a2a-inbound");
  });

  it("when the store fails, then the report fails and nothing is published", async () => {
    await storePerson(store, ["a", "b"]);
    store.before = (operation, collection) => {
      if (operation === "put" && collection === "gone-reports") throw new Error("disk full");
    };
    await expect(report("r1")).rejects.toThrow("disk full");
    expect(published).toEqual([]);
  });
});
