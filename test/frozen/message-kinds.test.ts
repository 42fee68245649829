import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PayloadOf, SyntheticContent, SyntheticType } from "../../core/contract/messages/synthetic.ts";
import { syntheticMessage, UserMessage } from "../../core/contract/messages/user-message.ts";
import { inboundCall } from "../core/a2a/inbound/inbound-call-sample.ts";
import { sampleMessage } from "../fakes/sample-message.ts";
import { rowsOfFolder } from "./contents.ts";
import { frozenVersions, unpackFolder } from "./fixture.ts";
import { payloads010, UserMessage010 } from "./schemas-0-1-0.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mooring-message-kinds-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe.each(frozenVersions())("given the stored messages of %s", (version) => {
  it("when they are read, then each has its kind, and background messages their payload (U5)", async () => {
    await unpackFolder(version, folder);
    const stored = rowsOfFolder(folder).messages.filter(({ name }) => name === "user.message");
    const wire = stored.map(({ json }) => JSON.parse(json));
    const read = wire.map((message) => UserMessage.parse(message));
    expect(read.map(({ id, kind }) => [id, kind])).toEqual(wire.map((message) => [message.id, kindIn(message)]));
    expect(new Set(read.map(({ kind }) => kind))).toEqual(new Set(["message", "command", "shown", "synthetic"]));
    const background = read.flatMap((message) => (message.kind === "synthetic" ? [message.synthetic] : []));
    const payloads = wire.flatMap(({ synthetic }) => (synthetic === undefined ? [] : [synthetic.data]));
    expect(background.map(({ data }) => data)).toEqual(payloads);
  });
});

const kindIn = (wire: { synthetic?: unknown; shown?: unknown; command?: unknown }): string => {
  if (wire.synthetic !== undefined) return "synthetic";
  if (wire.shown !== undefined) return "shown";
  return wire.command === undefined ? "message" : "command";
};

describe("given a message without a kind, when it is read", () => {
  const { kind: _, ...plain } = sampleMessage({ editable: true });
  const shown = { replyId: "r", markdown: "hi", origin: origin(), at: plain.sentAt };

  it.each([
    ["message", {}],
    ["message", { isEdit: false }],
    ["edit", { isEdit: true }],
    ["command", { command: { name: "help", args: "" } }],
    ["shown", { shown }],
    ["synthetic", { synthetic: background({ type: "peer", data: { mode: "consult" } }).synthetic }],
  ])("then it is of kind %s", (kind, fields) => {
    expect(UserMessage.parse({ ...plain, ...fields }).kind).toBe(kind);
  });

  it("then an invalid payload counts as absent, and the origin is still known (B3)", () => {
    const { synthetic } = background({ type: "synthesis", data: { subtasks: [] } });
    const read = UserMessage.parse({ ...plain, synthetic: { ...synthetic, data: { subtasks: 7 } } });
    expect(read).toMatchObject({ kind: "synthetic", synthetic: { type: "synthesis", origin: origin() } });
    expect(read).not.toHaveProperty("synthetic.data.subtasks");
  });
});

const late = { id: "c-1", name: "boats", kind: "result", key: "k", isKept: true, peer: "harbour" } as const;
const payloads: { [T in SyntheticType]: PayloadOf<T>[] } = {
  task: [{ schedule: { owner: "web/ann", id: "schedule-1", run: "r-1" } }, { a2a: inboundCall }],
  synthesis: [{ subtasks: [{ id: "s-1", name: "north", timedOut: false }] }],
  amendment: [{ subtasks: [{ id: "s-1", name: "north", timedOut: false }] }],
  "wake-up": [{ type: "question", priority: "high", subtask: "s-1", name: "north", content: "which boats?" }],
  peer: [{ mode: "notify" }, { mode: "task_delegate" }, { mode: "consult" }],
  callback: [
    { call: "c-1", peer: "harbour", name: "boats" },
    { call: "c-1", peer: "harbour", name: "boats", round: 2 },
  ],
  late: [{ calls: [{ ...late, words: "seven", subtask: "north" }] }],
  approval: [{ approval: "approval-1a2b3c4d5e6f", name: "mail__send" }],
  "agent-answer": [{ task: "t-1a2b3c4d" }],
};

/** Types that 0.1.0 does not know. It has no tools that ask people and no agents elsewhere, so such messages follow an upgrade. */
const addedTypes: ReadonlySet<string> = new Set<SyntheticType>(["approval", "agent-answer"]);

describe("given a message that this code writes, when 0.1.0 reads it during an upgrade", () => {
  const overTheWire = (message: UserMessage) => JSON.parse(JSON.stringify(message));

  it.each([
    sampleMessage({ text: "hello", replyTo: "1", messageId: "2", link: "https://chat.example/2", editable: true }),
    sampleMessage({ text: "/new", command: { name: "new", args: "" }, unseen: true }),
    sampleMessage({ shown: { replyId: "r", markdown: "hi", origin: origin(), at: "2026-03-10T21:14:00.000Z" } }),
  ])("then 0.1.0 can read all fields of a message of kind $kind (U5)", (message) => {
    const { kind: _, ...fields } = message;
    expect(UserMessage010.parse(overTheWire(message))).toMatchObject(fields);
    expect(UserMessage.parse(overTheWire(message))).toEqual(message);
  });

  const contents = Object.entries(payloads).flatMap(([type, all]) =>
    all.map((data) => ({ type, data }) as SyntheticContent),
  );

  it.each(contents.filter(({ type }) => addedTypes.has(type)))(
    "then this code reads a background message of the added type $type (U5)",
    (content) => {
      expect(UserMessage.parse(overTheWire(background(content)))).toEqual(background(content));
    },
  );

  it.each(contents.filter(({ type }) => !addedTypes.has(type)))(
    "then 0.1.0 can read the work and the payload of a background message of type $type (U5)",
    (content) => {
      const message = background(content);
      const old = UserMessage010.parse(overTheWire(message));
      expect(old.synthetic).toEqual(message.synthetic);
      expect(
        payloads010[content.type as keyof typeof payloads010].safeParse(old.synthetic?.data).error,
      ).toBeUndefined();
      expect(UserMessage.parse(overTheWire(message))).toEqual(message);
    },
  );
});

function origin() {
  return { channel: "web", promptSummary: "compare tides", startedAt: "2026-03-10T21:14:00.000Z", sessionId: "s-1" };
}

function background(content: SyntheticContent) {
  const owner = { ownerType: "orchestrator", ownerId: "s-1", sessionUri: "https://chat.example/1" } as const;
  const chain = { root: "m-1", hops: { "a b": 1 }, lastHopAt: 1 };
  const work = {
    sessionId: "s-1",
    standing: { owner, background: true, rootTurnId: "t-1", chain },
    origin: origin(),
    audience: { conversation: { channel: "web", room: "r", kind: "private" as const }, personId: "p-1" },
    asker: { personId: "p-1", accountId: "ann", name: "Ann" },
    traceId: "trace",
  };
  const agentRef = { tenant: "default", agent: "mooring" };
  return syntheticMessage(agentRef, work, { ...content, id: "m-2", at: "2026-03-10T21:14:00.000Z", isFirst: true });
}
