import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ChatClient } from "../../../adapters/web/client/chat-client.ts";
import type { ChatIdentity } from "../../../adapters/web/client/chat-identity.ts";
import type { ChatStatus } from "../../../adapters/web/client/chat-listener.ts";
import type { ChatTransport, TransportEvents } from "../../../adapters/web/client/chat-transport.ts";
import { KeptValues } from "../../../adapters/web/client/kept-values.ts";
import { OutgoingQueue } from "../../../adapters/web/client/outgoing-queue.ts";
import { Transcript } from "../../../adapters/web/client/transcript.ts";
import type { ClientFrame, HistoryItem, ServerFrame } from "../../../adapters/web/protocol.ts";

const identity: ChatIdentity = {
  token: async () => "token-1",
  welcomed: () => true,
  refused: () => "ask",
  forget() {},
};
const noStorage = () => {
  throw new Error("forbidden");
};

/** A client whose gateway is the test. */
const start = () => {
  const sent: ClientFrame[] = [];
  const statuses: ChatStatus[] = [];
  let gateway: TransportEvents | undefined;
  const transport: ChatTransport = (events) => {
    gateway = events;
    return { send: (text) => void sent.push(JSON.parse(text)), close() {} };
  };
  const queue = new OutgoingQueue(new KeptValues(noStorage, ""));
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
  it("when several messages wait, then each is sent after the one before was accepted", async () => {
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

  it("when the connection ends, then it resumes after what it has, and sends again what was not accepted", async () => {
    const { client, sent, connected, welcome, say, tell, idsSent, closed } = start();
    client.open();
    await connected();
    welcome(7);
    tell({ type: "said", seq: 8, id: "other", text: "x", createdAt: "2026-11-15T12:00:00.000Z" });
    say("m1");
    closed(1006);
    client.hurry();
    await connected();
    expect(sent.at(-1)).toMatchObject({ type: "hello", token: "token-1", resumeFrom: 8 });
    welcome(8);
    expect(idsSent()).toEqual(["m1", "m1"]);
  });

  it("when a message is refused for good, then the next one goes, and it can be sent again", async () => {
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

  it("when its token is refused, then it asks, and does not come back by itself", async () => {
    const { client, statuses, connected, tell, closed } = start();
    client.open();
    await connected();
    tell({ type: "error", code: "token-invalid", message: "forged" });
    closed(4002);
    expect(statuses.at(-1)).toBe("refused");
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

describe("given entries of a log in any order, and more than once", () => {
  it("then each stands where it began, and shows its latest state", () => {
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

describe("given a storage that takes nothing any more", () => {
  it("then what was kept before does not come back in place of the new value", () => {
    const stored = new Map([["p:token", "old"]]);
    const full = {
      getItem: (key: string) => stored.get(key) ?? null,
      removeItem: (key: string) => void stored.delete(key),
      setItem: () => {
        throw new Error("full");
      },
    };
    const kept = new KeptValues(() => full, "p:");
    expect(kept.get("token")).toBe("old");
    kept.set("token", "new");
    expect(kept.get("token")).toBe("new");
  });
});
