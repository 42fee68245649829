import { describe, expect, it } from "vitest";
import {
  attachmentId,
  isAfter,
  justBefore,
  laterOf,
  parseAttachmentId,
  permalink,
  snowflakeAt,
} from "../../../adapters/discord/payload.ts";

describe("given ids of Discord", () => {
  it("then the link of a message names its server, or the private chats, and the thread if there is one (O12)", () => {
    const shared = { channel: "discord", workspace: "1", room: "2", kind: "shared" } as const;
    expect(permalink(shared, "5")).toBe("https://discord.com/channels/1/2/5");
    expect(permalink({ ...shared, thread: "3" }, "5")).toBe("https://discord.com/channels/1/3/5");
    expect(permalink({ channel: "discord", room: "2", kind: "private" }, "5")).toBe(
      "https://discord.com/channels/@me/2/5",
    );
  });

  it("then the id of an attachment leads back to its message; other texts lead nowhere", () => {
    const reference = { channelId: "12", messageId: "34", id: "56" };
    expect(parseAttachmentId(attachmentId(reference))).toEqual(reference);
    for (const other of ["12/34", "x12/34/56", "12/34/56/78", "12/34/x", "../34/56", "12/x/56", ""]) {
      expect(parseAttachmentId(other)).toBeUndefined();
    }
  });

  it("then a time becomes the smallest id of that millisecond, and a time before Discord zero", () => {
    expect(snowflakeAt(Date.UTC(2015, 0, 1) + 1)).toBe("4194304");
    expect(snowflakeAt(Date.UTC(2015, 0, 1) + 1.9)).toBe("4194304");
    expect(snowflakeAt(Date.UTC(2016, 0, 1))).toBe("132271570944000000");
    expect(snowflakeAt(0)).toBe("0");
  });

  it("then they are compared as numbers, regardless of their length", () => {
    expect(isAfter("10", "9")).toBe(true);
    expect(isAfter("9", "10")).toBe(false);
    expect(isAfter("9", "9")).toBe(false);
    expect([laterOf("10", "9"), laterOf("9", "10")]).toEqual(["10", "10"]);
    expect(justBefore("1000000000000000000")).toBe("999999999999999999");
  });
});
