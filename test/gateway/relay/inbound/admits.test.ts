import { describe, expect, it } from "vitest";
import type { Conversation } from "../../../../core/contract/messages/conversation.ts";
import { admits } from "../../../../gateway/relay/channel-rules.ts";

const alone: Conversation = { channel: "paper", room: "dm", kind: "private" };
const room: Conversation = { channel: "paper", room: "harbour", workspace: "north", kind: "shared" };

describe("given the access rules of a channel when an answer is sent (I2)", () => {
  it("when none are configured, then every conversation is admitted", () => {
    expect(admits()(alone, undefined)).toBe(true);
    expect(admits({})(room, undefined)).toBe(true);
  });

  it("when an account was removed from the list, then neither it nor an unknown account is admitted", () => {
    const isOpen = admits({ accounts: ["ann"] });
    expect([isOpen(alone, "ann"), isOpen(alone, "bob"), isOpen(alone, undefined)]).toEqual([true, false, false]);
  });

  it("when a room or its workspace was removed, then it is not admitted, and private conversations still are", () => {
    expect(admits({ rooms: ["town"] })(room, "ann")).toBe(false);
    expect(admits({ workspaces: ["south"] })(room, "ann")).toBe(false);
    expect(admits({ rooms: ["harbour"], workspaces: ["north"] })(room, "ann")).toBe(true);
    expect(admits({ rooms: [], workspaces: [] })(alone, "ann")).toBe(true);
  });
});
