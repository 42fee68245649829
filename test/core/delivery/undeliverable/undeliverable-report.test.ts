import { beforeEach, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../../core/contract/messages/agent-reply.ts";
import { conversationKey } from "../../../../core/contract/messages/conversation.ts";
import type { Audience } from "../../../../core/contract/messages/work-context.ts";
import type { Bus } from "../../../../core/contract/ports/bus.ts";
import type { Destination } from "../../../../core/delivery/destination.ts";
import { fallbackConversation } from "../../../../core/delivery/undeliverable/fallback-conversation.ts";
import { reportUndeliverable } from "../../../../core/delivery/undeliverable/undeliverable-report.ts";
import {
  UNDELIVERABLE_FIELD,
  type UndeliverableResult,
  undeliverableNotice,
  undeliverableResultOf,
} from "../../../../core/delivery/undeliverable/undeliverable-result.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { sampleReply } from "../../../fakes/sample-reply.ts";
import { privateOn, roomOn, storePerson } from "../person-on-channels.ts";

const AT = "2026-03-10T21:00:00.000Z";
const WEEK_MS = 7 * 24 * 3_600_000;
const audience: Audience = { conversation: privateOn("b"), personId: "p", accountId: "ann", membership: 3 };
const matter: UndeliverableResult = {
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

describe("given a reply that was refused for good", () => {
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

  it("when it came by itself, in the place it was meant for, then it is to be reported", () => {
    expect(of(result())).toEqual(matter);
    const { taskId: _, ...peers } = { ...origin, channel: "a2a-inbound" };
    expect(of(result({ origin: peers }))).toEqual({ ...matter, kind: "a2a-inbound", id: undefined });
  });

  it.each([
    ["it is no final", { kind: "progress" }],
    ["somebody waits for it", { correlationId: "m" }],
    ["a person began the work", { origin: { ...origin, channel: "web" } }],
    ["it is a notice", { kind: "notice", origin: null }],
  ] as const)("when %s, then it is not", (_, more) => {
    expect(of(result(more))).toBeUndefined();
  });

  it("when another place than the one it was meant for refused it, then it is not", () => {
    expect(of(result(), privateOn("c"))).toBeUndefined();
  });

  it("when it is a report itself, then the same matter is reported at the next place", () => {
    const report = sampleReply("r/gone", privateOn("a"), "words", {
      kind: "notice",
      origin: null,
      data: { [UNDELIVERABLE_FIELD]: matter },
    });
    expect(of(report, privateOn("a"))).toEqual({ ...matter, tried: [privateOn("b"), privateOn("a")] });
  });
});

describe("given what people are told about it (P2, D3)", () => {
  it("when it is theirs, then they learn what, where, why, where it is instead, and how to end it", () => {
    expect(undeliverableNotice(matter, true)).toBe(
      "The result of the schedule “Stretch” could not be delivered on B: the conversation is gone (deleted). " +
        "It is in your inbox. To cancel the schedule, use `/schedules cancel schedule-1`.",
    );
    expect(undeliverableNotice({ ...matter, instead: "", id: undefined, tried: [] }, true)).toBe(
      "The result of the schedule “Stretch” could not be delivered: the conversation is gone (deleted).",
    );
  });

  it("when it is somebody else's, then they learn neither whose it is nor what about", () => {
    expect(undeliverableNotice(matter, false)).toBe(
      "The result of a person's schedule (schedule-1) could not be delivered on B: the conversation is gone " +
        "(deleted). If it was sent, the operator of this service finds it among the dead letters.",
    );
    expect(undeliverableNotice({ ...matter, id: undefined }, false)).toContain(
      "The result of a person's schedule could not",
    );
    expect(undeliverableNotice({ ...matter, kind: "a2a-inbound" }, false)).toContain(
      "The result of work for another agent could",
    );
  });

  it("when it is nobody's own, then everybody may know its title", () => {
    expect(undeliverableNotice({ ...matter, audience: undefined }, false)).toContain("the schedule “Stretch”");
    const peers = { ...matter, kind: "a2a-inbound", audience: { conversation: roomOn("b"), personId: null } };
    expect(undeliverableNotice(peers, false)).toContain(
      "The result of “Stretch”, which another agent asked for, could not",
    );
  });
});

describe("given a result that cannot get where it was to go, when another place is looked for (P2)", () => {
  const look = async (more: Partial<UndeliverableResult> = {}, home?: Destination, closed: readonly string[] = []) => {
    const place = await fallbackConversation({ store, home, hasChannel: (name) => !closed.includes(name) }, "default", {
      ...matter,
      ...more,
    });
    return place && `${place.audience.conversation.channel}/${place.audience.conversation.room} ${place.isTheirs}`;
  };
  const lobby: Destination = { conversation: roomOn("a", "lobby") };

  it("then it is the private conversation in which the person was last", async () => {
    await storePerson(store, ["a", "b", "c"]);
    expect(await look()).toBe("a/dm true");
  });

  it("when that one was tried, or its channel is gone, then it is where they came last of the others", async () => {
    await storePerson(store, ["a", "b", "c", "d"]);
    expect(await look({ tried: [privateOn("b"), privateOn("a")] })).toBe("d/dm true");
    expect(await look({}, lobby, ["a", "d"])).toBe("c/dm true");
  });

  it("when the person has no other, then it is the agent's home, unless that was tried or is gone", async () => {
    await storePerson(store, ["b"]);
    expect(await look({}, lobby)).toBe("a/lobby false");
    expect(await look({ tried: [privateOn("b"), roomOn("a", "lobby")] }, lobby)).toBeUndefined();
    expect(await look({}, lobby, ["a"])).toBeUndefined();
    expect(await look()).toBeUndefined();
  });

  it("when it is nobody's own, then no person is told", async () => {
    await storePerson(store, ["a", "b"]);
    expect(await look({ audience: undefined }, lobby)).toBe("a/lobby false");
  });

  it("when an account was linked after the work began, then it is not told there (D3)", async () => {
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

  it("then the report keeps for whom it is, so that unlinking the account takes it away (D3)", async () => {
    await storePerson(store, ["a", "b"]);
    const place = await fallbackConversation({ store, hasChannel: () => true }, "default", matter);
    expect(place?.audience).toEqual({
      conversation: privateOn("a"),
      personId: "p",
      accountId: "ann",
      membership: 3,
      askedBy: { channel: "b", accountId: "ann" },
    });
  });
});

describe("given a result whose place is gone, when that is reported (P2)", () => {
  const report = (id: string, more: Partial<UndeliverableResult> = {}) => {
    const publish: Bus["publish"] = async (_, message) => {
      published.push(message as AgentReply);
      return "stored";
    };
    const checkpoint = async (name: string) => {
      checkpoints.push(name);
    };
    const parts = { bus: { publish } as Bus, store, clock, logger, checkpoint, hasChannel: () => true };
    return reportUndeliverable(
      parts,
      { ...matter, ...more },
      { id, tenant: "default", agent: "mooring", traceId: "t" },
    );
  };

  it("then its person gets one notice, which carries the matter in case that it is refused too", async () => {
    await storePerson(store, ["a", "b"]);
    await report("r1");
    expect(published).toMatchObject([
      {
        id: "r1/gone",
        kind: "notice",
        origin: null,
        sessionId: null,
        markdown: undeliverableNotice(matter, true),
        audience: { conversation: privateOn("a") },
        data: { [UNDELIVERABLE_FIELD]: { tried: [privateOn("b")] } },
        mayRepeat: true,
        createdAt: AT,
      },
    ]);
    expect(checkpoints).toEqual(["gone.settled", "gone.told"]);
    expect(logger.lines.items).toEqual([]);
  });

  it("when the schedule fires again within a week, then nothing more is said; after a week it is", async () => {
    await storePerson(store, ["a", "b"]);
    await report("r1");
    clock.advance(WEEK_MS - 1);
    await report("r2");
    expect(published.map(({ id }) => id)).toEqual(["r1/gone"]);
    clock.advance(1);
    await report("r3");
    expect(published.map(({ id }) => id)).toEqual(["r1/gone", "r3/gone"]);
  });

  it("when another schedule or another place is gone, then that is reported too", async () => {
    await storePerson(store, ["a", "b", "c"]);
    await report("r1");
    await report("r2", { id: "schedule-2" });
    await report("r3", { tried: [privateOn("c")] });
    await report("r4", { id: undefined, title: "Call" });
    await report("r5", { id: undefined, title: "Walk" });
    expect(published.map(({ id }) => id)).toEqual(["r1/gone", "r2/gone", "r3/gone", "r4/gone", "r5/gone"]);
  });

  it("when a process died half-way, then it says the same under the same id, wherever its person is by then", async () => {
    await storePerson(store, ["a", "b", "c"]);
    await report("r1");
    await storePerson(store, ["a", "b", "c"], { lastActive: conversationKey(privateOn("c")) });
    clock.advance(5_000);
    await report("r1");
    expect(published[1]).toEqual(published[0]);
  });

  it("when two processes report it in the same moment, then both say what the first one stored", async () => {
    await storePerson(store, ["a", "b"]);
    await Promise.all([report("r1"), report("r2")]);
    expect(published).toHaveLength(1);
  });

  it("when nobody can be told, then the log says what to set, and nothing is published", async () => {
    await report("r1");
    expect(published).toEqual([]);
    expect(logger.lines.items).toMatchObject([{ level: "error", fields: { what: "schedule-1", traceId: "t" } }]);
    expect(logger.lines.items[0]?.message).toContain("set `home`");
    await report("r2", { id: undefined, title: "Call", kind: "a2a-inbound" });
    expect(logger.lines.items[1]?.fields.what).toBe("a2a-inbound");
  });

  it("when the store fails, then that is an error, not a second report", async () => {
    await storePerson(store, ["a", "b"]);
    store.before = (operation, collection) => {
      if (operation === "put" && collection === "gone-reports") throw new Error("disk full");
    };
    await expect(report("r1")).rejects.toThrow("disk full");
    expect(published).toEqual([]);
  });
});
