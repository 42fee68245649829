import { describe, expect, it } from "vitest";
import { Activity, isForThisBot, readBody } from "../../../adapters/teams/activity.ts";

const SERVICE = "https://smba.example/";
const TENANT = "11111111-AAAA-bbbb-2222-333333333333";

describe("given an activity and the token that came with it (C4, F27)", () => {
  const accepted = (more: object) =>
    isForThisBot({ channelId: "msteams", serviceUrl: SERVICE, ...more }, { serviceUrl: SERVICE, tenantId: TENANT });
  const inData = (id: string) => ({ channelData: { tenant: { id } } });
  const inConversation = (tenantId: string | null) => ({ conversation: { tenantId } });

  it("when it names our tenant, in one place or in both, in any case, then it is accepted", () => {
    expect(accepted(inData(TENANT))).toBe(true);
    expect(accepted(inConversation(TENANT))).toBe(true);
    expect(accepted({ ...inData(TENANT), ...inConversation(TENANT) })).toBe(true);
    expect(accepted({ ...inData(TENANT.toLowerCase()), ...inConversation(TENANT.toUpperCase()) })).toBe(true);
    expect(accepted({ ...inData(TENANT), ...inConversation(null) })).toBe(true);
    expect(accepted({ ...inConversation(TENANT), channelData: {} })).toBe(true);
    expect(accepted({ ...inConversation(TENANT), channelData: null })).toBe(true);
  });

  it("when it names another tenant anywhere, then it is refused", () => {
    expect(accepted(inData("other"))).toBe(false);
    expect(accepted(inConversation("other"))).toBe(false);
    expect(accepted({ ...inData(TENANT), ...inConversation("other") })).toBe(false);
    expect(accepted({ ...inData("other"), ...inConversation(TENANT) })).toBe(false);
  });

  it("when it names no tenant, then it is refused", () => {
    expect(accepted({})).toBe(false);
    expect(accepted({ channelData: {}, ...inConversation(null) })).toBe(false);
  });

  it("when its service address or its channel is not that of the token, then it is refused", () => {
    expect(accepted({ ...inData(TENANT), serviceUrl: "https://evil.example/" })).toBe(false);
    expect(accepted({ ...inData(TENANT), serviceUrl: undefined })).toBe(false);
    expect(accepted({ ...inData(TENANT), channelId: "webchat" })).toBe(false);
    expect(isForThisBot(undefined, { serviceUrl: SERVICE, tenantId: TENANT })).toBe(false);
  });
});

describe("given the body of a request (F19)", () => {
  it("when it is JSON, then it is read; otherwise there is no activity", () => {
    expect(readBody(Buffer.from('{"text":"ä"}'))).toEqual({ text: "ä" });
    expect(readBody(Buffer.from("{"))).toBeUndefined();
  });

  it("when an item of a list is malformed, then only that item is skipped", () => {
    const mention = { type: "mention", mentioned: { id: "28:bot" }, text: "<at>Bot</at>" };
    const base = { type: "message", channelId: "msteams", serviceUrl: SERVICE, conversation: { id: "a:1" } };
    const { entities, attachments, membersAdded } = Activity.parse({
      ...base,
      entities: [{ type: "clientInfo" }, mention, null],
      attachments: "none",
      membersAdded: null,
    });
    expect(entities).toEqual([mention]);
    expect([attachments, membersAdded]).toEqual([[], []]);
  });
});
