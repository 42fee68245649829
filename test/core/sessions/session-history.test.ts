import { expect, it } from "vitest";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { SessionHistory } from "../../../core/sessions/session-history.ts";
import { historyKey } from "../../../core/sessions/session-window.ts";
import { MemoryStore } from "../../adapters/web/memory-store.ts";
import { sampleTurnEntry } from "../../fakes/sample-turn-entry.ts";

it("when a write is stored alongside an entry, then it starts after the entry, once, and is awaited", async () => {
  const store = new MemoryStore(systemClock);
  const history = new SessionHistory(store);
  await history.append("s", 0, sampleTurnEntry("t-0"));
  const steps: string[] = [];
  store.before = (operation) => void steps.push(operation);
  const alongside = async () => {
    steps.push("alongside");
    await new Promise((resolve) => setImmediate(resolve));
    steps.push("done");
  };
  // Index 0 is taken: the entry is retried at the next index, the write alongside is not.
  expect(await history.append("s", 0, sampleTurnEntry("t-1"), { alongside })).toBe(true);
  expect(steps.filter((step) => step === "alongside")).toHaveLength(1);
  expect(steps.indexOf("put")).toBeLessThan(steps.indexOf("alongside"));
  expect(steps).toContain("done");
  expect((await store.get(historyKey("s", 1)))?.value).toEqual(sampleTurnEntry("t-1"));
});
