import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ReachAdapter, UnreachableConversation } from "../../../adapters/contract/abilities.ts";
import { LogChannel } from "../../fakes/log-channel.ts";
import { AdminRig, acmeAdmin } from "./admin-rig.ts";

const conversationIn = (room: string): UnreachableConversation => ({
  key: room,
  conversation: { channel: "web", room, kind: "private" },
  accountId: "ann",
  state: "blocked",
  reason: "blocked: the person has blocked the app",
  since: "2026-11-16T08:00:00.000Z",
  askAgainAt: "2026-11-17T08:00:00.000Z",
});

/** A channel whose platform refuses some conversations. */
class RefusedChannel extends LogChannel implements ReachAdapter {
  async *unreachable() {
    yield* ["a", "b", "c"].map(conversationIn);
  }
}

let rig: AdminRig;
beforeEach(async () => {
  rig = await AdminRig.open();
  rig.adapters.push(new RefusedChannel("web"));
});
afterEach(() => rig.close());

describe("given a platform that rejects messages for some conversations", () => {
  it("when an operator lists them, then they are paged", async () => {
    const first = await rig.call("GET", "channels/web/unreachable?limit=2");
    const { key: _, ...shown } = conversationIn("a");
    expect(first.body.items[0]).toEqual(shown);
    const second = await rig.call("GET", `channels/web/unreachable?limit=2&after=${first.body.next}`);
    const rooms = [first, second].map(({ body }) =>
      body.items.map((item: UnreachableConversation) => item.conversation.room),
    );
    expect(rooms).toEqual([["a", "b"], ["c"]]);
    expect(second.body.next).toBeUndefined();
  });

  it("when the channel belongs to another tenant, or keeps no such list, then nothing is listed", async () => {
    expect((await rig.call("GET", "channels/web/unreachable", undefined, acmeAdmin)).status).toBe(404);
    expect((await rig.call("GET", "channels/web-acme/unreachable")).body).toEqual({ items: [] });
  });
});
