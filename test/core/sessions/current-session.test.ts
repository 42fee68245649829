import { expect, it } from "vitest";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { firstSessionId, SessionFinder, startSession } from "../../../core/sessions/current-session.ts";
import { SessionHistory } from "../../../core/sessions/session-history.ts";
import { MemoryStore } from "../../adapters/web/memory-store.ts";
import { sampleTurnEntry } from "../../fakes/sample-turn-entry.ts";

const address = {
  tenant: "default",
  agent: "a",
  conversation: { channel: "web", room: "r", kind: "private" as const },
};

/** The finder and the history of one process. */
const processOn = (store: MemoryStore) => {
  const history = new SessionHistory(store);
  return { history, finder: new SessionFinder(store, history) };
};

it("when no new session was started, then a conversation is in its first one, found by two concurrent reads", async () => {
  const store = new MemoryStore(systemClock);
  const { finder } = processOn(store);
  expect((await finder.window(address)).sessionId).toBe(firstSessionId(address));
  store.reads = 0;
  let reading = 0;
  let maxReading = 0;
  store.before = async () => {
    maxReading = Math.max(maxReading, ++reading);
    await new Promise((resolve) => setImmediate(resolve));
    reading--;
  };
  await finder.window(address);
  expect({ reads: store.reads, maxReading }).toEqual({ reads: 2, maxReading: 2 });
});

it("when another process has written to the session or started a new one, then the next read sees it", async () => {
  const store = new MemoryStore(systemClock);
  const [here, there] = [processOn(store), processOn(store)];
  const first = await here.finder.window(address);
  await there.history.append(first.sessionId, 0, sampleTurnEntry("t-1"));
  expect((await here.finder.window(address)).entries).toEqual([sampleTurnEntry("t-1")]);

  const options = { after: first.sessionId, messageId: "m-2", now: 0 };
  const second = await startSession(store, address, options);
  await there.history.append(second, 0, sampleTurnEntry("t-2"));
  for (const process of [here, there, processOn(store)]) {
    expect(await process.finder.window(address)).toMatchObject({
      sessionId: second,
      entries: [sampleTurnEntry("t-2")],
    });
  }
});
