import { beforeEach, describe, expect, it } from "vitest";
import type { Subtask, SubtaskMessage } from "../../../../core/contract/messages/subtask.ts";
import type { Bus } from "../../../../core/contract/ports/bus.ts";
import { ownerMessageIdOf } from "../../../../core/subtasks/batch/continuation-message.ts";
import { handleSubtaskMessage } from "../../../../core/subtasks/batch/handle-subtask-message.ts";
import type { SubtaskDeps } from "../../../../core/subtasks/deps.ts";
import { readSubtask, subtaskKey } from "../../../../core/subtasks/record/subtask-record.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";

const NOW = Date.UTC(2026, 2, 10, 21);
const AT = new Date(NOW).toISOString();
const agentRef = { tenant: "default", agent: "mooring" };
const PARENT = "subtask-0000000a";
const CHILD = "subtask-0000000b";
const MAX_INBOX = 100;

const record = (id: string, owner: Subtask["owner"], more: Partial<Subtask> = {}): Subtask => ({
  id,
  ...agentRef,
  callKey: `key-${id}`,
  parentTurnId: "t",
  parentSessionId: "s",
  planId: "t",
  agentType: "general",
  name: id === CHILD ? "inner" : "outer",
  prompt: "do it",
  expectedOutput: "",
  depth: 1,
  reports: "batch",
  permissions: { tools: [] },
  owner,
  asker: { personId: "p", accountId: "ann", name: "Ann" },
  origin: { channel: "web", promptSummary: "tides", startedAt: AT, sessionId: "s" },
  audience: { conversation: { channel: "web", room: "r", kind: "private" }, personId: "p", accountId: "ann" },
  background: false,
  traceId: "trace",
  status: "running",
  createdAt: AT,
  runs: 1,
  yields: 0,
  notes: 0,
  inbox: [],
  ...more,
});
const notesOf = (count: number): Subtask["inbox"] =>
  Array.from({ length: count }, (_, n) => ({ id: `note-${n}`, type: "refinement", content: `${n}`, at: AT }));

const worker = { ownerType: "worker" as const, ownerId: PARENT };
const message = (type: SubtaskMessage["type"], key: string): SubtaskMessage => ({
  id: ownerMessageIdOf(CHILD, key),
  timestamp: AT,
  priority: "high",
  type,
  content: "the disk is full",
  subtask: { ...agentRef, id: CHILD },
  owner: worker,
  planId: "t",
  turnId: "t",
  traceId: "trace",
});

let store: MemoryStore;
let logger: RecordingLogger;
let deps: SubtaskDeps;
beforeEach(() => {
  const clock = new ManualClock(NOW);
  store = new MemoryStore(clock);
  logger = new RecordingLogger();
  deps = { bus: { signal() {} } as unknown as Bus, store, clock, logger } as unknown as SubtaskDeps;
});
const read = async (id: string) => (await readSubtask(store, { ...agentRef, id })) as Subtask;
const given = async (inbox: Subtask["inbox"], parent: Partial<Subtask> = {}, child: Partial<Subtask> = {}) => {
  const records = [
    record(PARENT, { ownerType: "agent", ownerId: "s" }, { inbox, ...parent }),
    record(CHILD, worker, { depth: 2, ...child }),
  ];
  for (const one of records) await store.put(subtaskKey(one), one, { ifRevision: 0 });
};

describe("given a subtask whose child sends it a message (S8)", () => {
  it("when its inbox has room for one more, then it gets the message, and the child gets no note", async () => {
    await given(notesOf(MAX_INBOX - 1));
    await handleSubtaskMessage(deps, message("error", "e"));
    const { inbox } = await read(PARENT);
    expect(inbox).toHaveLength(MAX_INBOX);
    expect(inbox.at(-1)).toMatchObject({ child: { id: CHILD, type: "error" }, content: "the disk is full" });
    expect((await read(CHILD)).inbox).toEqual([]);
    expect(logger.lines.items.filter(({ level }) => level === "warn")).toEqual([]);
  });

  it("when its inbox is full, then the message is not stored, and the child gets a note with the reason", async () => {
    await given(notesOf(MAX_INBOX));
    for (const _ of ["first", "duplicate"]) await handleSubtaskMessage(deps, message("error", "e"));
    expect((await read(PARENT)).inbox).toHaveLength(MAX_INBOX);
    const content =
      "Your message of type error was not delivered: your owner has 100 messages, which is the maximum. Continue " +
      "without an answer, or end your work.";
    expect((await read(CHILD)).inbox).toEqual([
      { id: `${ownerMessageIdOf(CHILD, "e")}/undelivered`, type: "refinement", content, at: AT },
    ]);
    expect(logger.lines.items.find(({ level }) => level === "warn")).toMatchObject({
      message: "subtask message dropped",
      fields: { owner: PARENT, reason: "the inbox of its owner is full" },
    });
  });

  it("when its inbox is full and the child asks a question, then the child no longer waits for the answer (S6)", async () => {
    await given(notesOf(MAX_INBOX), {}, { question: "left or right?", questionKey: "q" });
    await handleSubtaskMessage(deps, message("question", "q"));
    const child = await read(CHILD);
    expect(child.question).toBeUndefined();
    expect(child.inbox).toMatchObject([{ type: "answer", content: expect.stringContaining("was not delivered") }]);
  });

  it("when its inbox is full and the child has asked another question since, then that question stays open", async () => {
    await given(notesOf(MAX_INBOX), {}, { question: "left or right?", questionKey: "later" });
    await handleSubtaskMessage(deps, message("question", "q"));
    expect(await read(CHILD)).toMatchObject({ question: "left or right?", inbox: [{ type: "refinement" }] });
  });

  it("when a message that it has is repeated to its full inbox, then the child gets no note", async () => {
    const known = { id: ownerMessageIdOf(CHILD, "e"), type: "refinement" as const, content: "x", at: AT };
    await given([...notesOf(MAX_INBOX - 1), known]);
    await handleSubtaskMessage(deps, message("error", "e"));
    expect((await read(CHILD)).inbox).toEqual([]);
  });

  it("when it has ended, then the log has the reason", async () => {
    await given([], { status: "completed", completedAt: AT });
    await handleSubtaskMessage(deps, message("error", "e"));
    expect((await read(CHILD)).inbox).toEqual([]);
    expect(logger.lines.items.find(({ level }) => level === "warn")?.fields.reason).toBe("its owner has ended");
  });
});
