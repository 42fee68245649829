import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addAnswerNotice } from "../../../../core/a2a/inbound/end-task.ts";
import { inboundMessage, newTask } from "../../../../core/a2a/inbound/inbound-call.ts";
import { addNotice, handleNoticesDue, type NoticeDeps, noticePlaceFor } from "../../../../core/a2a/inbound/notices.ts";
import { ack } from "../../../../core/contract/ports/bus.ts";
import { silentLogger } from "../../../../core/contract/ports/logger.ts";
import { noCheckpoint } from "../../../../core/contract/ports/telemetry.ts";
import { firstSessionId } from "../../../../core/sessions/current-session.ts";
import { SessionHistory } from "../../../../core/sessions/session-history.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { AGENT, CoreUnderTest } from "../../core-under-test.ts";
import { inboundCall } from "./inbound-call-sample.ts";

const due = { tenant: "default", agent: AGENT };
const conversation = { channel: "web", room: "lobby", kind: "shared" } as const;
const rules = { home: { conversation }, idleMs: 120_000 };
const isBusy = { now: false };

let core: CoreUnderTest;
let deps: NoticeDeps;
beforeEach(async () => {
  core = await CoreUnderTest.start();
  isBusy.now = false;
  const { bus, store } = core.backbone;
  // In the product, all processes are asked whether a turn is running.
  const turns = { isBusy: async () => isBusy.now } as unknown as NoticeDeps["turns"];
  const history = new SessionHistory(store);
  deps = {
    bus,
    store,
    clock: core.clock,
    logger: silentLogger,
    meter: core.meter,
    checkpoint: noCheckpoint,
    history,
    turns,
  };
});
afterEach(() => core.dispose());

const notice = (n: number, title = "crm · News") => ({
  id: `notice-${n}`,
  taskId: `task-${n}`,
  title,
  text: `news ${n}`,
  at: `2026-03-10T21:0${n}:00.000Z`,
});

const LONG = "x".repeat(3_900);
const said = (text: string) => ({ id: "m-1", from: "caller" as const, text });
const message = inboundMessage(inboundCall);

/** Adds a turn to the conversation that ended some seconds ago. */
const addTurn = (secondsAgo: number) =>
  deps.history.append(firstSessionId({ ...due, conversation }), 0, {
    kind: "turn",
    turnId: "t-1",
    at: new Date(core.clock.now() - secondsAgo * 1_000).toISOString(),
    text: "hello",
    messages: [],
    finalText: "hi",
    outcome: "answered",
  });

describe("given notices of other agents (A10)", () => {
  it("when the last turn ended 30 seconds ago, then they wait for the rest of two minutes", async () => {
    await addTurn(30);
    await addNotice(deps, due, notice(1));
    expect(await handleNoticesDue(deps, due, rules)).toEqual({ retryInMs: 90_000 });
    expect(core.replies.items).toEqual([]);
  });

  it("when a turn is running, then they wait", async () => {
    isBusy.now = true;
    await addNotice(deps, due, notice(1));
    expect(await handleNoticesDue(deps, due, rules)).toEqual({ retryInMs: 120_000 });
  });

  it("when the conversation is idle, then they are posted as one message, anchored to the earliest (O5)", async () => {
    await addTurn(121);
    for (const n of [2, 1, 3]) await addNotice(deps, due, notice(n, n === 3 ? "erp · Stock" : undefined));
    expect(await handleNoticesDue(deps, due, rules)).toEqual(ack);
    const [reply] = await core.replies.until((replies) => replies.length > 0);
    expect(reply).toMatchObject({
      kind: "final",
      origin: { channel: "a2a-inbound", promptSummary: "crm · News, erp · Stock", startedAt: notice(1).at },
      audience: { conversation },
    });
    expect(reply?.markdown).toContain("news 2");
    expect(reply?.markdown).toContain("news 3");
    const { entries } = await deps.history.window(firstSessionId({ ...due, conversation }));
    expect(entries.at(-1)).toMatchObject({ kind: "said", markdown: reply?.markdown });
    expect(await handleNoticesDue(deps, due, rules)).toEqual(ack);
    expect(core.replies.items).toHaveLength(1);
  });

  it("when publishing fails, then no notice is lost", async () => {
    await addNotice(deps, due, notice(1));
    const failing = { ...deps, bus: { ...deps.bus, publish: () => Promise.reject(new Error("no connection")) } };
    await expect(handleNoticesDue(failing, due, rules)).rejects.toThrow("no connection");
    await addNotice(deps, due, notice(2));
    await handleNoticesDue(deps, due, rules);
    await handleNoticesDue(deps, due, rules);
    const posted = (await core.replies.until((replies) => replies.length > 1)).map(({ markdown }) => markdown);
    expect(posted).toEqual(["news 1", "news 2"]);
  });

  it.each(["notices.fixed", "notices.published"])(
    "when the process crashes at %s, then the next one posts the same message once",
    async (at) => {
      await addNotice(deps, due, notice(1));
      const crashing = {
        ...deps,
        checkpoint: (name: string) => {
          if (name === at) throw new Error("crashed");
        },
      };
      await expect(handleNoticesDue(crashing, due, rules)).rejects.toThrow("crashed");
      await addNotice(deps, due, notice(1));
      await addNotice(deps, due, notice(2));
      await handleNoticesDue(deps, due, rules);
      await handleNoticesDue(deps, due, rules);
      const posted = await core.replies.until((replies) => replies.some(({ markdown }) => markdown === "news 2"));
      expect([...new Set(posted.map(({ id, markdown }) => `${id} ${markdown}`))]).toHaveLength(2);
      expect(posted.map(({ markdown }) => markdown)).toEqual(["news 1", "news 2"]);
    },
  );

  it("when more are waiting than fit into one message, then several messages are posted, and none is lost", async () => {
    for (let n = 0; n < 130; n++) await addNotice(deps, due, { ...notice(1), id: `n-${n}`, text: `${n} ${LONG}` });
    for (let n = 0; n < 3; n++) await handleNoticesDue(deps, due, rules);
    const posted = (await core.replies.until((replies) => replies.length === 3)).flatMap(({ markdown }) =>
      markdown.split("\n\n---\n\n"),
    );
    expect(posted.map((text) => Number.parseInt(text, 10))).toEqual(Array.from({ length: 130 }, (_, n) => n));
  });

  it("when too many are waiting to store another, then the task that caused it still ends", async () => {
    const lines = new RecordingLogger();
    const task = {
      ...newTask({ ...due, caller: "crm", id: "task-0", contextId: "c-1", said: said("hi"), sentAt: notice(1).at }),
      skill: "news",
      state: "completed" as const,
      answer: LONG,
    };
    const following = { noticeSkills: ["news"], notices: rules };
    for (let n = 0; n < 145; n++) {
      await addAnswerNotice({ ...deps, logger: lines }, message, { ...task, id: `task-${n}` }, following);
    }
    expect(lines.lines.items.some(({ message }) => message === "could not add notice about an answer")).toBe(true);
    const more = addNotice(deps, due, { ...notice(1), text: task.answer });
    await expect(more).rejects.toThrow("Too many notices are waiting already");
  });
});

describe("given places of skills and callers", () => {
  const place = (room: string) => ({ conversation: { ...conversation, room } });
  const places = { "skill/news": place("newsroom"), "caller/crm": place("sales") };

  it("when notices arrive, then each goes to the place of its skill, else of its caller, else home (A10)", async () => {
    const placed = { ...rules, places, idleMs: 0 };
    const placeFor = (caller: string, skill?: string) => noticePlaceFor(placed, { caller, skill });
    for (const [n, to] of [placeFor("crm", "news"), placeFor("crm", "facts"), placeFor("erp")].entries()) {
      const at = { ...due, ...to };
      await addNotice(deps, at, notice(n + 1));
      expect(await handleNoticesDue(deps, at, placed)).toBe(ack);
    }
    const replies = await core.replies.until((items) => items.length === 3);
    const shown = replies.map(({ audience, markdown }) => `${audience.conversation.room}: ${markdown}`);
    expect(shown.sort()).toEqual(["lobby: news 3", "newsroom: news 1", "sales: news 2"]);
  });

  it("when neither skill nor caller nor agent has one, then there is none, and forged names find none (A10)", () => {
    const homeless = { idleMs: 0, places };
    expect(noticePlaceFor(homeless, { caller: "erp", skill: "facts" })).toBeUndefined();
    expect(noticePlaceFor(homeless, { caller: "../skill/news" })).toBeUndefined();
    expect(noticePlaceFor({ idleMs: 0, places: {} }, { caller: "x", skill: "../constructor" })).toBeUndefined();
  });

  it("when a place leaves the configuration, then its waiting notices go home (A10)", async () => {
    const at = { ...due, place: "skill/news" };
    await addNotice(deps, at, notice(1));
    expect(await handleNoticesDue(deps, at, { ...rules, idleMs: 0 })).toBe(ack);
    const [reply] = await core.replies.until((items) => items.length === 1);
    expect(reply?.audience.conversation.room).toBe("lobby");
  });
});
