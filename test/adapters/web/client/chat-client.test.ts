import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ChatClient } from "../../../../adapters/web/client/chat-client.ts";
import type { ChatIdentity } from "../../../../adapters/web/client/chat-identity.ts";
import type { ChatStatus } from "../../../../adapters/web/client/chat-listener.ts";
import type { ChatTransport, TransportEvents } from "../../../../adapters/web/client/chat-transport.ts";
import { OutgoingQueue } from "../../../../adapters/web/client/outgoing-queue.ts";
import { PersistentValues } from "../../../../adapters/web/client/persistent-values.ts";
import { Transcript } from "../../../../adapters/web/client/transcript.ts";
import type { ClientFrame, HistoryItem, ServerFrame } from "../../../../adapters/web/protocol.ts";

const identity: ChatIdentity = {
  token: async () => "token-1",
  welcomed: () => true,
  refused: () => "ask",
  forget() {},
};
const noStorage = () => {
  throw new Error("forbidden");
};

/** A client with a gateway that the test simulates. */
const start = () => {
  const sent: ClientFrame[] = [];
  const statuses: ChatStatus[] = [];
  let gateway: TransportEvents | undefined;
  const transport: ChatTransport = (events) => {
    gateway = events;
    return { send: (text) => void sent.push(JSON.parse(text)), close() {} };
  };
  const queue = new OutgoingQueue(new PersistentValues(noStorage, ""));
  const listener = {
    frame() {},
    queueChanged() {},
    cleared() {},
    statusChanged: (status: ChatStatus) => void statuses.push(status),
  };
  const client = new ChatClient(identity, { transport, queue, listener, about: () => ({}) });
  const connected = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    gateway?.opened();
  };
  const tell = (frame: ServerFrame) => gateway?.received(JSON.stringify(frame));
  const welcome = (seq: number) =>
    tell({ type: "welcome", token: "token-2", conversation: "v", sessionId: "s", seq, agent: "a" });
  const say = (id: string) => client.submit({ frame: { type: "message", id, text: id } });
  const idsSent = () => sent.flatMap((frame) => (frame.type === "message" ? [frame.id] : []));
  return {
    client,
    queue,
    sent,
    statuses,
    connected,
    tell,
    welcome,
    say,
    idsSent,
    closed: (code: number) => gateway?.closed(code),
  };
};

describe("given a client of the socket protocol", () => {
  it("when several messages are queued, then each is sent after the previous one was accepted", async () => {
    const { client, connected, welcome, say, tell, idsSent } = start();
    say("m1");
    say("m2");
    client.open();
    await connected();
    expect(idsSent()).toEqual([]);
    welcome(0);
    expect(idsSent()).toEqual(["m1"]);
    tell({ type: "accepted", id: "m1" });
    expect(idsSent()).toEqual(["m1", "m2"]);
  });

  it("when the connection closes, then it resumes from its last seq and retries unaccepted messages", async () => {
    const { client, sent, connected, welcome, say, tell, idsSent, closed } = start();
    client.open();
    await connected();
    welcome(7);
    tell({ type: "said", seq: 8, id: "other", text: "x", createdAt: "2026-11-15T12:00:00.000Z" });
    say("m1");
    closed(1006);
    client.reconnect();
    await connected();
    expect(sent.at(-1)).toMatchObject({ type: "hello", token: "token-1", resumeFrom: 8 });
    welcome(8);
    expect(idsSent()).toEqual(["m1", "m1"]);
  });

  it("when a message is refused permanently, then the next one is sent, and the person can retry the first", async () => {
    const { client, queue, connected, welcome, say, tell, idsSent } = start();
    client.open();
    await connected();
    welcome(0);
    say("m1");
    say("m2");
    tell({ type: "error", code: "refused", message: "not you", id: "m1" });
    expect(queue.all[0]).toMatchObject({ frame: { id: "m1" }, failure: "not you" });
    tell({ type: "accepted", id: "m2" });
    client.retry("m1");
    expect(idsSent()).toEqual(["m1", "m2", "m1"]);
  });

  it("when its token is refused, then it asks the person and does not reconnect", async () => {
    const { client, statuses, connected, tell, closed } = start();
    client.open();
    await connected();
    tell({ type: "error", code: "token-invalid", message: "forged" });
    closed(4002);
    expect(statuses.at(-1)).toBe("refused");
  });
});

describe("given a gateway during a storage outage (F35)", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  const connectedClient = async () => {
    const started = start();
    started.client.open();
    await started.connected();
    started.welcome(0);
    return started;
  };
  const unavailable = (id: string) => ({ type: "error", code: "unavailable", message: "not stored", id }) as const;

  it("when it reports the outage, then no message fails for hours; when it reports the end, then all are sent at once, in order", async () => {
    const { queue, say, tell, idsSent } = await connectedClient();
    say("m1");
    tell(unavailable("m1"));
    tell({ type: "storage", available: false });
    say("m2");
    for (let minutes = 0; minutes < 120; minutes++) {
      vi.advanceTimersByTime(30_000);
      tell(unavailable("m1"));
      vi.advanceTimersByTime(30_000);
      tell(unavailable("m1"));
    }
    expect(queue.all.map(({ frame, failure }) => [frame.id, failure])).toEqual([
      ["m1", undefined],
      ["m2", undefined],
    ]);
    const before = idsSent().length;
    tell({ type: "storage", available: true });
    vi.advanceTimersByTime(500);
    tell({ type: "accepted", id: "m1" });
    tell({ type: "accepted", id: "m2" });
    expect(idsSent().slice(before)).toEqual(["m1", "m2"]);
    expect(queue.all).toEqual([]);
  });

  it("when it reports the outage before its welcome, then the queue is held until the end", async () => {
    const { client, connected, welcome, say, tell, idsSent } = start();
    say("m1");
    client.open();
    await connected();
    tell({ type: "storage", available: false });
    welcome(0);
    vi.advanceTimersByTime(20_000);
    expect(idsSent()).toEqual([]);
    tell({ type: "storage", available: true });
    vi.advanceTimersByTime(500);
    expect(idsSent()).toEqual(["m1"]);
  });

  it("when the connection closes meanwhile, then the next gateway gets the queue after its welcome, with the same ids", async () => {
    const { client, connected, welcome, say, tell, idsSent, closed } = await connectedClient();
    tell({ type: "storage", available: false });
    say("m1");
    expect(idsSent()).toEqual([]);
    closed(1012);
    client.reconnect();
    await connected();
    welcome(0);
    expect(idsSent()).toEqual(["m1"]);
  });

  it("when it does not report the outage, then the message is retried with backoff, and fails after ten attempts", async () => {
    const { queue, say, tell, idsSent } = await connectedClient();
    say("m1");
    const pauses: number[] = [];
    for (let tries = 1; tries < 10; tries++) {
      tell(unavailable("m1"));
      let pause = 0;
      while (idsSent().length === tries) {
        vi.advanceTimersByTime(100);
        pause += 100;
      }
      pauses.push(pause);
    }
    expect(pauses[0]).toBeLessThanOrEqual(1_000);
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(7_500);
    expect(pauses.at(-1)).toBeLessThanOrEqual(15_000);
    tell(unavailable("m1"));
    expect(queue.all[0]).toMatchObject({ failure: "not stored" });
  });
});

const reply = (id: string, seq: number, revision: number): HistoryItem => ({
  type: seq === 1 ? "reply" : "edit",
  seq,
  id,
  kind: "progress",
  markdown: `${revision}`,
  activity: { id, revision, title: "", items: [] },
  createdAt: "2026-11-15T12:00:00.000Z",
});

describe("given log entries in any order, with duplicates", () => {
  it("then each has its first position and its latest state", () => {
    const states = fc.shuffledSubarray([1, 2, 3, 4, 5, 6], { minLength: 1 });
    fc.assert(
      fc.property(states, states, (revisions, seen) => {
        const transcript = new Transcript();
        const items = revisions.map((revision, index) => reply("a", index + 1, revision));
        const other = reply("b", 3, 1);
        const order = [...items, ...items.filter(({ seq }) => seen.includes(seq)), other];
        for (const item of order.sort(() => (seen[0] ?? 0) - 3)) transcript.add(item);
        const a = transcript.find("reply:a");
        expect(a?.seq).toBe(1);
        expect(a?.item).toMatchObject({ markdown: `${Math.max(...revisions)}` });
        expect(transcript.entries.map(({ seq }) => seq)).toEqual([1, 3]);
      }),
    );
  });
});

describe("given a storage that is full", () => {
  it("then a stale stored value does not replace the new one", () => {
    const stored = new Map([["p:token", "old"]]);
    const full = {
      getItem: (key: string) => stored.get(key) ?? null,
      removeItem: (key: string) => void stored.delete(key),
      setItem: () => {
        throw new Error("full");
      },
    };
    const kept = new PersistentValues(() => full, "p:");
    expect(kept.get("token")).toBe("old");
    kept.set("token", "new");
    expect(kept.get("token")).toBe("new");
  });
});
