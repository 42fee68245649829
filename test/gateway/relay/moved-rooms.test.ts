import { beforeEach, describe, expect, it } from "vitest";
import type { MovingRoomsAdapter, PermalinkAdapter, RoomMove } from "../../../adapters/contract/abilities.ts";
import { isEditingAdapter, isMovingRoomsAdapter } from "../../../adapters/contract/abilities.ts";
import type { ChannelAdapter, Delivery, Inbox, Receipt } from "../../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { followMoves } from "../../../gateway/relay/moved-rooms.ts";
import { MemoryStore } from "../../fakes/memory-store.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleMessage } from "../../fakes/sample-message.ts";
import { TestInbox } from "../../fakes/test-inbox.ts";

const group = (room: string, thread?: string): Conversation => ({
  channel: "chat",
  room,
  kind: "shared",
  ...(thread !== undefined && { thread }),
});

/** Fails for rooms in `moved`, and records where it sends. */
class GroupChat implements MovingRoomsAdapter, PermalinkAdapter {
  readonly channel = "chat";
  readonly capabilities = { connection: "shared", resend: "repeats" } as const;
  readonly moved = new Map<string, string | undefined>();
  readonly sent: string[] = [];
  inbox: Inbox | undefined;
  #report: (move: RoomMove) => Promise<void> = async () => undefined;

  async start(inbox: Inbox): Promise<void> {
    this.inbox = inbox;
  }
  async stop(): Promise<void> {}
  async deliver({ target: { room, thread } }: Delivery): Promise<Receipt> {
    const movedTo = this.moved.get(room);
    if (this.moved.has(room)) {
      throw new DeliveryFailed("moved", "it is a supergroup now", movedTo === undefined ? {} : { movedTo });
    }
    this.sent.push(thread === undefined ? room : `${room}/${thread}`);
    return { messageId: "1" };
  }
  async permalink({ room }: Conversation, messageId: string): Promise<string> {
    return `https://chat.example/${room}/${messageId}`;
  }
  reportMovesTo(report: (move: RoomMove) => Promise<void>): void {
    this.#report = report;
  }
  announce(from: string, to: string): Promise<void> {
    return this.#report({ from, to });
  }
}

describe("given a channel whose rooms can get another id (C1)", () => {
  let chat: GroupChat;
  let adapter: ChannelAdapter;
  let inbox: TestInbox;
  let store: MemoryStore;
  const start = async () => {
    chat = new GroupChat();
    inbox = new TestInbox();
    adapter = followMoves({ store, logger: silentLogger, checkpoint: () => undefined }, chat);
    await adapter.start(inbox);
  };
  const deliverTo = (target: Conversation) => adapter.deliver(sampleDelivery("r1", target, "hello"));
  const heardIn = async (room: string, more: object = {}) => {
    await chat.inbox?.accept(sampleMessage({ conversation: group(room, "t1"), ...more }));
    return inbox.accepted.items.at(-1);
  };

  beforeEach(async () => {
    store = new MemoryStore();
    await start();
  });

  it("when no room has moved, then addresses stay as they are, and abilities stay visible", async () => {
    await deliverTo(group("a", "t1"));
    expect(chat.sent).toEqual(["a/t1"]);
    expect((await heardIn("a"))?.conversation).toEqual(group("a", "t1"));
    expect([isMovingRoomsAdapter(adapter), isEditingAdapter(adapter)]).toEqual([true, false]);
    expect(adapter.channel).toBe("chat");
  });

  it("when a delivery fails because the room moved, then it goes to the new room, and so do later ones after a restart", async () => {
    chat.moved.set("a", "b");
    expect(await deliverTo(group("a", "t1"))).toEqual({ messageId: "1" });
    expect(chat.sent).toEqual(["b/t1"]);
    await start();
    await deliverTo(group("a"));
    expect(chat.sent).toEqual(["b"]);
    expect((await heardIn("b"))?.conversation).toEqual(group("a", "t1"));
  });

  it("when the platform announces moves, also of a moved room, then the conversation keeps its first address", async () => {
    await chat.announce("a", "b");
    await chat.announce("b", "c");
    await chat.announce("b", "c");
    for (const room of ["a", "b", "c"]) expect((await heardIn(room))?.conversation.room).toBe("a");
    await deliverTo(group("a"));
    expect(chat.sent).toEqual(["c"]);
    expect((await heardIn("d"))?.conversation.room).toBe("d");
  });

  it("when a room moves back, then deliveries go to its first id again", async () => {
    await chat.announce("a", "b");
    await chat.announce("b", "a");
    await deliverTo(group("a"));
    expect(chat.sent).toEqual(["a"]);
    expect((await heardIn("b"))?.conversation.room).toBe("a");
  });

  it("when two rooms move to the same one, then its messages belong to the first of them", async () => {
    await chat.announce("a", "c");
    await chat.announce("b", "c");
    expect((await heardIn("c"))?.conversation.room).toBe("a");
    await deliverTo(group("b"));
    expect(chat.sent).toEqual(["c"]);
  });

  it("when a message comes from a moved room, then its link is that of the new room (O10)", async () => {
    await chat.announce("a", "b");
    expect((await heardIn("b", { messageId: "7" }))?.link).toBe("https://chat.example/b/7");
    expect((await heardIn("b", { messageId: "7", link: "https://own.example" }))?.link).toBe("https://own.example");
    expect((await heardIn("a2", { messageId: "7" }))?.link).toBeUndefined();
  });

  it("when the platform does not name the new room, or names another one each time, then the target is gone", async () => {
    chat.moved.set("a", undefined);
    await expect(deliverTo(group("a"))).rejects.toMatchObject({ reason: "target-gone" });
    for (const [from, to] of ["vw", "wx", "xy", "yz", "zv"].map((pair) => pair.split("")))
      chat.moved.set(from ?? "", to);
    await expect(deliverTo(group("v"))).rejects.toMatchObject({ reason: "target-gone" });
    expect(chat.sent).toEqual([]);
  });

  it("when the store cannot be read, then nothing is sent, and the delivery can be retried", async () => {
    store.get = () => Promise.reject(new Error("the disk is away"));
    await expect(deliverTo(group("a"))).rejects.toMatchObject({ reason: "unavailable" });
    expect(chat.sent).toEqual([]);
  });

  it("when rooms of a channel never move, then its adapter is not wrapped", () => {
    const { reportMovesTo: _, ...plain } = { ...chat, reportMovesTo: 0 };
    const settled = { ...plain, start: chat.start, stop: chat.stop, deliver: chat.deliver };
    expect(followMoves({ store, logger: silentLogger, checkpoint: () => undefined }, settled)).toBe(settled);
  });
});
