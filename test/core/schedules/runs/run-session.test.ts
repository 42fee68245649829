import { afterEach, describe, expect, it } from "vitest";
import { SessionHistory } from "../../../../core/sessions/session-history.ts";
import { historyKey } from "../../../../core/sessions/session-window.ts";
import { calls } from "../../../fakes/scripted-model.ts";
import { CoreUnderTest } from "../../core-under-test.ts";
import { roles, spawns } from "../../subtasks/delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const task = { description: "Brief", prompt: "the news", when: "in 20 s" };

const entries = async (sessionId: string): Promise<number> => {
  let count = 0;
  while ((await core.backbone.store.get(historyKey(sessionId, count))) !== undefined) count++;
  return count;
};

describe("given the session of a schedule's run (L7)", () => {
  it("when seven days have passed since its last call could be open, then it has expired; the session of a conversation stays", async () => {
    core = await CoreUnderTest.start(
      roles({
        primary: ({ text, outputs }) => {
          if (text.startsWith("Scheduled task")) return outputs.length === 0 ? spawns(["a"]) : "left out";
          return outputs.length === 0 ? calls({ name: "schedule_task", input: task }) : "done";
        },
      }),
      { heldByClock: true },
    );
    const { sessionId: own } = await core.ask("m1", "later");
    await core.clock.waits.until((waits) => waits.some((wait) => wait > 0 && wait <= 20_000));
    core.clock.advance(20_000);
    const isRun = ({ origin, kind }: { origin: { channel: string } | null; kind: string }) =>
      origin?.channel === "scheduled" && kind === "final";
    const replies = await core.replies.until((all) => all.some(isRun));
    const run = replies.find(isRun)?.sessionId ?? "";
    expect(await entries(run)).toBe(2);
    core.clock.advance(14 * DAY - HOUR);
    expect(await entries(run)).toBe(2);
    core.clock.advance(2 * HOUR);
    expect(await entries(run)).toBe(0);
    expect(await entries(own ?? "")).toBe(1);
  });

  it("when an entry is appended, then the TTL of all its entries is renewed", async () => {
    core = await CoreUnderTest.start([], { heldByClock: true });
    const history = new SessionHistory(core.backbone.store);
    const said = (replyId: string) =>
      ({ kind: "said", replyId, at: "2026-03-10T21:14:05.000Z", markdown: replyId, origin: null }) as const;
    const life = { ttlMs: 7 * DAY };
    await history.append("s-run", 0, said("one"), life);
    core.clock.advance(5 * DAY);
    await history.append("s-run", 1, said("two"), life);
    core.clock.advance(5 * DAY);
    expect(await entries("s-run")).toBe(2);
    core.clock.advance(3 * DAY);
    expect(await entries("s-run")).toBe(0);
  });
});
