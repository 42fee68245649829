import { describe, expect, it } from "vitest";
import type { Conversation } from "../../../../core/contract/messages/conversation.ts";
import { admits } from "../../../../gateway/relay/inbound/channel-rules.ts";

const alone: Conversation = { channel: "paper", room: "dm", kind: "private" };
const room: Conversation = { channel: "paper", room: "harbour", workspace: "north", kind: "shared" };

describe("given where an answer may be sent today (I2)", () => {
  it("when nothing is said, then everywhere", () => {
    expect(admits()(alone, undefined)).toBe(true);
    expect(admits({})(room, undefined)).toBe(true);
  });

  it("when an account was taken off the list, then no longer to it, and to nobody of whom it is not known", () => {
    const isOpen = admits({ accounts: ["ann"] });
    expect([isOpen(alone, "ann"), isOpen(alone, "bob"), isOpen(alone, undefined)]).toEqual([true, false, false]);
  });

  it("when a room or its workspace was taken off, then no longer there, and in private as before", () => {
    expect(admits({ rooms: ["town"] })(room, "ann")).toBe(false);
    expect(admits({ workspaces: ["south"] })(room, "ann")).toBe(false);
    expect(admits({ rooms: ["harbour"], workspaces: ["north"] })(room, "ann")).toBe(true);
    expect(admits({ rooms: [], workspaces: [] })(alone, "ann")).toBe(true);
  });
});
