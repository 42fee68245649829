import { describe, expect, it } from "vitest";
import type { Conversation } from "../../../../core/contract/messages/conversation.ts";
import type { AccessCheck } from "../../../../gateway/relay/channel-rules.ts";
import { accessCheck } from "../../../../gateway/relay/channel-rules.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";

const room = (name: string, workspace?: string): Conversation => ({
  channel: "paper",
  room: name,
  kind: "shared",
  ...(workspace !== undefined && { workspace }),
});
const alone: Conversation = { channel: "paper", room: "dm", kind: "private" };

const verdicts = (check: AccessCheck, accounts: readonly string[], conversation = alone): string[] =>
  accounts.map((id) => {
    try {
      check({ account: { id, name: id }, conversation });
      return "may";
    } catch (error) {
      return (error as { code: string }).code;
    }
  });

describe("given the access rules of a channel (I2)", () => {
  it("when none are configured, or all accounts are allowed, then every account may write", () => {
    for (const access of [undefined, {}, { accounts: "*" as const }]) {
      expect(verdicts(accessCheck(access, new ManualClock()), ["ann", "bob"])).toEqual(["may", "may"]);
    }
  });

  it("when accounts are listed, then no other account may write", () => {
    const check = accessCheck({ accounts: ["ann"] }, new ManualClock());
    expect(verdicts(check, ["ann", "Ann", "bob"])).toEqual(["may", "forbidden", "forbidden"]);
  });

  it("when rooms are listed, then messages in other rooms are refused, and private ones accepted", () => {
    const check = accessCheck({ rooms: ["harbour"] }, new ManualClock());
    expect(verdicts(check, ["ann"], room("harbour"))).toEqual(["may"]);
    expect(verdicts(check, ["ann"], room("town"))).toEqual(["forbidden"]);
    expect(verdicts(check, ["ann"])).toEqual(["may"]);
  });

  it("when workspaces are listed, then rooms of another workspace, or of none, are refused", () => {
    const check = accessCheck({ workspaces: ["north"] }, new ManualClock());
    expect(verdicts(check, ["ann"], room("harbour", "north"))).toEqual(["may"]);
    expect(verdicts(check, ["ann"], room("harbour", "south"))).toEqual(["forbidden"]);
    expect(verdicts(check, ["ann"], room("harbour"))).toEqual(["forbidden"]);
  });

  it("when accounts and rooms are listed, then both must match", () => {
    const check = accessCheck({ accounts: ["ann"], rooms: ["harbour"] }, new ManualClock());
    expect(verdicts(check, ["ann", "bob"], room("harbour"))).toEqual(["may", "forbidden"]);
    expect(verdicts(check, ["ann"], room("town"))).toEqual(["forbidden"]);
  });

  it("when an account exceeds its rate limit, then it is refused, and others are not", () => {
    const clock = new ManualClock();
    const check = accessCheck({ messagesPerMinute: 2 }, clock);
    expect(verdicts(check, ["ann", "ann", "ann", "bob"])).toEqual(["may", "may", "rate-limited", "may"]);
    clock.advance(30_000);
    expect(verdicts(check, ["ann", "ann"])).toEqual(["may", "rate-limited"]);
    clock.advance(600_000);
    expect(verdicts(check, ["ann", "ann", "ann"])).toEqual(["may", "may", "rate-limited"]);
  });
});
