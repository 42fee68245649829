import { describe, expect, it } from "vitest";
import { readBody, readPayload } from "../../../adapters/slack/payload.ts";

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded; charset=utf-8";
const event = { type: "event_callback", team_id: "T1", event: { type: "message", text: "ä" } };
const press = {
  type: "block_actions",
  user: { id: "UANN" },
  channel: { id: "C1" },
  container: { message_ts: "5.5" },
  actions: [{ action_id: "mooring:cancel:0", action_ts: "6.6" }],
};
const command = {
  command: "/mooring",
  text: "why abc",
  user_id: "UANN",
  team_id: "T1",
  channel_id: "C1",
  trigger_id: "9",
};
const read = (body: string, contentType?: string) => readBody(Buffer.from(body), contentType);

describe("given the body of a request from Slack (C3)", () => {
  it("when it is JSON, then it is an event", () => {
    expect(read(JSON.stringify(event), JSON_TYPE)).toEqual({ kind: "event", envelope: event });
    expect(read(JSON.stringify(event))).toEqual({ kind: "event", envelope: event });
  });

  it("when it is a form, then it is a slash command, or the payload in one of its fields", () => {
    expect(read(String(new URLSearchParams(command)), FORM_TYPE)).toEqual({
      kind: "command",
      command: { ...command, channel_name: "" },
    });
    const form = String(new URLSearchParams({ payload: JSON.stringify(press) }));
    expect(read(form, FORM_TYPE)).toEqual({ kind: "button", press });
  });

  it("when Slack checks the certificate of the address, then it is neither command nor event", () => {
    expect(read("ssl_check=1&token=x", FORM_TYPE)).toEqual({ kind: "certificate-check" });
  });

  it("when Slack verifies the address, then it is the challenge to return", () => {
    const challenge = (value: object) => readPayload({ type: "url_verification", ...value });
    expect(challenge({ challenge: "c-1" })).toEqual({ kind: "challenge", challenge: "c-1" });
    const other = { kind: "other", what: "url_verification", malformed: false };
    expect(challenge({ challenge: 1 })).toEqual(other);
    expect(challenge({})).toEqual(other);
    expect(readPayload({ type: "hello", challenge: "c-1" })).toMatchObject({ kind: "other", what: "hello" });
  });
});

describe("given a payload that the adapter does not support", () => {
  it("when it has another type or none, then it is ignored without a warning", () => {
    expect(readPayload({ type: "view_submission" })).toEqual({
      kind: "other",
      what: "view_submission",
      malformed: false,
    });
    expect(readPayload({})).toEqual({ kind: "other", what: "no type", malformed: false });
    expect(readPayload({ type: 7 })).toEqual({ kind: "other", what: "no type", malformed: false });
  });

  it.each(["{", "null", "7", '"text"'])("when its JSON is %s, then it is malformed (F19)", (body) => {
    expect(read(body, JSON_TYPE)).toEqual({ kind: "other", what: "no object", malformed: true });
  });

  it("when required fields are missing, then the warning names them (F19)", () => {
    const malformed = (what: string) => ({ kind: "other", what: `unexpected fields: ${what}`, malformed: true });
    expect(readPayload({ type: "event_callback" })).toEqual(malformed("event"));
    expect(readPayload({ ...press, user: {}, channel: {} })).toEqual(malformed("user.id, channel.id"));
    expect(readPayload({ ...command, user_id: "" })).toEqual(malformed("user_id"));
  });
});
