import { beforeEach, describe, expect, it } from "vitest";
import { removeReadNotifications } from "../../../../core/a2a/calls/late-answer-turn.ts";
import { changeLate, type LateItem, readLate } from "../../../../core/a2a/calls/late-record.ts";
import { syntheticMessage, type TurnMessage } from "../../../../core/contract/messages/user-message.ts";
import type { ChatMessage } from "../../../../core/model/step.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { sampleMessage } from "../../../fakes/sample-message.ts";

const NOW = Date.UTC(2026, 2, 10, 21);
const AT = new Date(NOW).toISOString();
const address = { tenant: "default", agent: "mooring", sessionId: "s" };
const workContext = {
  sessionId: "s",
  standing: { owner: { ownerType: "agent" as const, ownerId: "s" }, depth: 0, rootTurnId: "t", background: false },
  origin: { channel: "web", promptSummary: "tides", startedAt: AT, sessionId: "s" },
  audience: { conversation: { channel: "web", room: "r", kind: "private" as const }, personId: "p", accountId: "ann" },
  asker: { personId: "p", accountId: "ann", name: "Ann" },
  traceId: "trace",
};
const item = (id: string, kind: LateItem["kind"], more: Partial<LateItem> = {}): LateItem => ({
  ...workContext,
  id,
  callId: `call-${id}`,
  headline: "Asking harbour",
  kind,
  key: `notifications/a2a/subtask-1/${id}/${kind}`,
  isKept: true,
  peer: "harbour",
  ...more,
});

let store: MemoryStore;
let deps: { store: MemoryStore; clock: ManualClock; logger: RecordingLogger };
beforeEach(() => {
  const clock = new ManualClock(NOW);
  store = new MemoryStore(clock);
  deps = { store, clock, logger: new RecordingLogger() };
});

/** A turn has ended that looked up the notes of these items with the memory tool. */
const end = async (items: readonly LateItem[], lookedUp: readonly LateItem[], message: TurnMessage) => {
  await changeLate(store, address, () => ({ items: [...items] }));
  const toolCalls = lookedUp.map(({ key }, n) => ({ id: `${n}`, name: "get_from_working_memory", input: { key } }));
  const messages = [{ role: "assistant", text: "", toolCalls }] as unknown as ChatMessage[];
  await removeReadNotifications(deps, address, message, messages);
  const { items: left, told } = await readLate(store, address);
  return { left: left.map(({ id }) => id), reported: told };
};
const ofPerson = sampleMessage({ id: "m-1", text: "hi" });
const lateTurn = (...items: readonly LateItem[]) =>
  syntheticMessage(address, workContext, {
    id: "late/1",
    type: "late",
    at: AT,
    data: {
      calls: items.map(({ callId, headline, kind, key }) => ({
        id: callId,
        name: headline,
        kind,
        key,
        isKept: true,
        peer: "harbour",
      })),
    },
  });

describe("given late answers that wait for a turn (L5)", () => {
  it("when another turn looks up a result, then it is removed and recorded as reported", async () => {
    const [first, second] = [item("1", "result"), item("2", "error")];
    expect(await end([first, second], [first], ofPerson)).toEqual({ left: ["2"], reported: ["1"] });
  });

  it("when another turn looks up a question, then it is removed, but a repeat of it is reported again", async () => {
    const question = item("1", "input-required");
    expect(await end([question], [question], ofPerson)).toEqual({ left: [], reported: [] });
  });

  it("when their own turn ends, then its items are recorded as reported, questions too", async () => {
    const question = item("1", "input-required", { toldBy: "late/1" });
    expect(await end([question], [], lateTurn(question))).toEqual({ left: [], reported: ["1"] });
  });

  it("when an item arrives with the key of an item that the turn reports, then it stays", async () => {
    const first = item("1", "input-required", { toldBy: "late/1" });
    const next = item("2", "input-required", { key: first.key });
    expect(await end([first, next], [], lateTurn(first))).toEqual({ left: ["2"], reported: ["1"] });
  });

  it("when a turn reads no late answer, then all stay", async () => {
    expect(await end([item("1", "result")], [], ofPerson)).toEqual({ left: ["1"], reported: undefined });
  });
});
