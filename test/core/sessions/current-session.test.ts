import { expect, it } from "vitest";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { firstSessionId, SessionFinder, startSession } from "../../../core/sessions/current-session.ts";
import { SessionHistory } from "../../../core/sessions/session-history.ts";
import { MemoryStore } from "../../adapters/web/memory-store.ts";
import { sampleTurnEntry } from "../../fakes/sample-turn-entry.ts";

const place = {
  tenant: "default",
  agent: "a",
  conversation: { channel: "web", room: "r", kind: "private" as const },
};

/** One process: its finder, and the history it reads through. */
const processOn = (store: MemoryStore) => {
  const history = new SessionHistory(store);
  return { history, finder: new SessionFinder(store, history) };
};

it("when nobody has begun a new session, then a conversation is in its first one, found by reads side by side", async () => {
  const store = new MemoryStore(systemClock);
  const { finder } = processOn(store);
  expect((await finder.window(place)).sessionId).toBe(firstSessionId(place));
  store.reads = 0;
  let reading = 0;
  let most = 0;
  store.before = async () => {
    most = Math.max(most, ++reading);
    await new Promise((resolve) => setImmediate(resolve));
    reading--;
  };
  await finder.window(place);
  expect({ reads: store.reads, most }).toEqual({ reads: 2, most: 2 });
});

it("when another process has written to the session, or begun a new one, then that is seen at the next look", async () => {
  const store = new MemoryStore(systemClock);
  const [here, there] = [processOn(store), processOn(store)];
  const first = await here.finder.window(place);
  await there.history.append(first.sessionId, 0, sampleTurnEntry("t-1"));
  expect((await here.finder.window(place)).entries).toEqual([sampleTurnEntry("t-1")]);

  const options = { after: first.sessionId, messageId: "m-2", now: 0 };
  const second = await startSession(store, place, options);
  await there.history.append(second, 0, sampleTurnEntry("t-2"));
  for (const process of [here, there, processOn(store)]) {
    expect(await process.finder.window(place)).toMatchObject({ sessionId: second, entries: [sampleTurnEntry("t-2")] });
  }
});
