import { describe, expect, it } from "vitest";
import type { StoredFile } from "../../../adapters/web/files/file-record.ts";
import { accountOf, clientIdOf, fileOf, loggedMessageOf, userMessageOf } from "../../../adapters/web/inbound.ts";
import type { Command, Message } from "../../../adapters/web/protocol.ts";
import { renderEdit, renderReply, shownId } from "../../../adapters/web/render.ts";
import { encodeEntry, encodeFrame, parseFrame } from "../../../adapters/web/server/frame-codec.ts";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { sampleActivity } from "../../fakes/sample-activity.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { commandIn } from "../../fakes/sample-message.ts";
import { sampleAnchor, sampleReply } from "../../fakes/sample-reply.ts";

const NOW = Date.UTC(2026, 2, 10, 21);
const AT = "2026-03-10T21:00:00.000Z";
const file: StoredFile = {
  id: "f-1",
  name: "chart.png",
  mediaType: "image/png",
  bytes: 7,
  isWhole: true,
  isAttached: true,
  createdAt: NOW,
  expiresAt: NOW,
};
const arrival = (files: readonly StoredFile[] = []) => ({
  channel: "web",
  tenant: "default",
  agent: "mooring",
  account: { id: "ann:1", name: "Ann" },
  now: NOW,
  traceId: "trace",
  files,
});
const message = (text: string, more: Partial<Message> = {}): Message => ({ type: "message", id: "c-1", text, ...more });
const command = (more: Partial<Command> = {}): Command => ({ type: "command", id: "c-1", name: "help", ...more });

describe("given a visitor's frame, when it becomes a UserMessage", () => {
  it("then it belongs to their private conversation, and a retry has the same id", () => {
    expect(userMessageOf(message("hello"), arrival())).toStrictEqual({
      kind: "message",
      id: "web:ann%3A1:c-1",
      tenant: "default",
      agent: "mooring",
      conversation: { channel: "web", room: "ann:1", kind: "private" },
      account: { id: "ann:1", name: "Ann" },
      text: "hello",
      attachments: [],
      messageId: "c-1",
      sentAt: AT,
      traceId: "trace",
    });
  });

  it("then it has the reply that it answers and the visitor's files", () => {
    const made = userMessageOf(message("look", { replyTo: "r-1" }), arrival([file]));
    expect(made.replyTo).toBe("r-1");
    expect(made.attachments).toStrictEqual([
      { id: "ann:1/f-1", name: "chart.png", mediaType: "image/png", bytes: 7, counted: true },
    ]);
    expect(fileOf({ id: "ann/1/f-1", name: "", mediaType: "" })).toEqual({ visitor: "ann/1", fileId: "f-1" });
    expect(fileOf({ id: "f-1", name: "", mediaType: "" })).toEqual({ visitor: "", fileId: "f-1" });
  });

  it("when it is a command, or the text of one, then it becomes a command with its text", () => {
    const of = (frame: Message | Command) => {
      const made = userMessageOf(frame, arrival());
      return [made.text, commandIn(made)];
    };
    expect(of(command({ args: "me\uD800" }))).toEqual(["/help me\uFFFD", { name: "help", args: "me\uFFFD" }]);
    expect(of(command())).toEqual(["/help", { name: "help", args: "" }]);
    expect(of(message("/help me"))).toEqual(["/help me", { name: "help", args: "me" }]);
    expect(of(message("help"))).toEqual(["help", undefined]);
    expect(userMessageOf(message("help"), arrival())).not.toHaveProperty("command");
  });

  it("when its text has a lone surrogate, then it is made well-formed", () => {
    expect(userMessageOf(message("a\uD800b"), arrival()).text).toBe("a\uFFFDb");
  });

  it("then all tabs of the visitor get the same message, with the client's file ids", () => {
    expect(loggedMessageOf(message("hello"), NOW, [])).toStrictEqual({
      type: "said",
      id: "c-1",
      text: "hello",
      createdAt: AT,
    });
    expect(loggedMessageOf(command({ args: "me", replyTo: "r-1" }), NOW, [file])).toStrictEqual({
      type: "said",
      id: "c-1",
      text: "/help me",
      replyTo: "r-1",
      command: { name: "help", args: "me" },
      attachments: [{ id: "f-1", name: "chart.png", mediaType: "image/png", bytes: 7 }],
      createdAt: AT,
    });
  });

  it("then the client's id is found from the correlation id, and only for this visitor", () => {
    expect(clientIdOf("web:ann%3A1:c-1", "web", "ann:1")).toBe("c-1");
    expect(clientIdOf("web:bob:c-1", "web", "ann:1")).toBeUndefined();
    expect(clientIdOf("a2a/web:ann%3A1:c-1", "web", "ann:1")).toBeUndefined();
  });
});

describe("given a visitor who says hello", () => {
  const account = (more: object, name?: string) =>
    accountOf(
      { visitor: "ann", ...(name !== undefined && { name }) } as Parameters<typeof accountOf>[0],
      {
        type: "hello",
        ...more,
      },
      "Chrome on Linux",
    );

  it("then time zone and locale are used if they are valid", () => {
    expect(account({ timeZone: "Europe/Rome", locale: "it-IT" }, "Ann")).toStrictEqual({
      id: "ann",
      name: "Ann",
      anonymous: true,
      device: "Chrome on Linux",
      timeZone: "Europe/Rome",
      locale: "it-IT",
    });
    expect(account({ timeZone: "Mars/North", locale: "not a locale" })).toStrictEqual({
      id: "ann",
      name: "Visitor",
      anonymous: true,
      device: "Chrome on Linux",
    });
    expect(account({ locale: "" })).toStrictEqual({
      id: "ann",
      name: "Visitor",
      anonymous: true,
      device: "Chrome on Linux",
    });
    expect(account({})).toStrictEqual({ id: "ann", name: "Visitor", anonymous: true, device: "Chrome on Linux" });
  });

  it("when the host page has signed the identity, then the visitor is a member (R1)", () => {
    expect(accountOf({ visitor: "ann", endsAt: 1 }, { type: "hello" }, "Chrome on Linux")).toStrictEqual({
      id: "ann",
      name: "Visitor",
    });
  });
});

describe("given a frame of a socket", () => {
  const parse = (value: unknown) => parseFrame(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));

  it("then a valid one is parsed", () => {
    expect(parse(message("hello"))).toEqual({ frame: message("hello") });
  });

  it("when it is not JSON, then the problem explains the format", () => {
    expect(parse("{")).toEqual({ problem: "a frame must be one JSON object as text" });
  });

  it("when it is invalid, then the problem names the field and the message id", () => {
    expect(parse({ type: "message", id: "c-1" })).toEqual({ problem: expect.stringMatching(/^text: /), id: "c-1" });
    expect(parse({ type: "dance", id: "c-1" })).toEqual({ problem: expect.stringMatching(/^type: /), id: "c-1" });
    const { problem } = parse({ type: "history", before: "x", limit: "y" }) as { problem: string };
    expect(problem).toMatch(/^before: .+; limit: /);
    expect(parse("7")).toEqual({ problem: expect.stringMatching(/^frame: /) });
    expect(parse("null")).not.toHaveProperty("id");
    expect(parse({ type: "message", id: 7, text: "" })).not.toHaveProperty("id");
    expect(parse({ type: "message", text: "" })).not.toHaveProperty("id");
  });

  it("when it is hostile, then the problem stays short", () => {
    const attachments = Array.from({ length: 9 }, () => ({ id: "x".repeat(101) }));
    const { problem, id } = parse({ type: "message", id: "x".repeat(5_000), text: 1, attachments }) as {
      problem: string;
      id: string;
    };
    expect(problem.split("; ")).toHaveLength(3);
    expect(problem.length).toBeLessThanOrEqual(300);
    expect(id).toHaveLength(100);
    const long = { type: "message", id: "c", text: "", attachments: [{ id: 1 }], ...{ replyTo: "r".repeat(501) } };
    expect((parse(long) as { problem: string }).problem.length).toBeLessThanOrEqual(300);
  });
});

describe("given a frame for sockets", () => {
  it("when it is encoded, then it is JSON", () => {
    expect(encodeFrame({ type: "accepted", id: "c-1" }).toString()).toBe('{"type":"accepted","id":"c-1"}');
  });

  it("when it is an entry of the log, then it has its seq", () => {
    const frame = { type: "said", id: "c-1", text: "hello" };
    expect(encodeEntry(7, { once: "said:c-1", at: 1, frame }).toString()).toBe(JSON.stringify({ ...frame, seq: 7 }));
  });
});

describe("given a reply for a visitor, when it is rendered as a frame", () => {
  const target = { channel: "web", room: "ann:1", kind: "private" } as const;
  const draw = (more: Partial<AgentReply>, delivery = {}) =>
    renderReply({
      ...sampleDelivery("r-1", target, "words", delivery),
      reply: sampleReply("r-1", target, "words", more),
    });

  it("then it is data without absent fields", () => {
    expect(draw({ origin: null, kind: "notice" })).toStrictEqual({
      type: "reply",
      id: "r-1",
      kind: "notice",
      markdown: "words",
      createdAt: "2025-01-01T00:00:00.000Z",
    });
  });

  it("then it has origin, anchor, outcome and actions", () => {
    const actions = [{ name: "cancel", label: "Cancel" }];
    const origin = sampleReply("r-1", target, "").origin;
    expect(draw({ outcome: "failed", actions }, { anchor: sampleAnchor })).toMatchObject({
      outcome: "failed",
      actions,
      anchor: sampleAnchor,
      origin,
    });
  });

  it("when it answers this visitor, then it names the message and the session", () => {
    expect(draw({ correlationId: "web:ann%3A1:c-1" })).toMatchObject({ correlationId: "c-1", sessionId: "s-1" });
    expect(draw({ correlationId: "web:ann%3A1:c-1", sessionId: null })).not.toHaveProperty("sessionId");
    const others = draw({ correlationId: "web:bob:c-1" });
    expect(others).not.toHaveProperty("correlationId");
    expect(others).not.toHaveProperty("sessionId");
    expect(draw({})).not.toHaveProperty("sessionId");
  });

  it("when it has several parts, then each has its own id", () => {
    const delivery = sampleDelivery("r-1", target, "words");
    expect(shownId(delivery)).toBe("r-1");
    expect(shownId({ ...delivery, part: { index: 1, count: 2, markdown: "words" } })).toBe("r-1/1");
  });

  it("when it edits a shown reply, then it keeps that id and has the activity", () => {
    const reply = sampleActivity("t-1", target, 2);
    const edit = renderEdit("m-1", { ...sampleDelivery("r-1", target, "words"), reply });
    expect(edit).toMatchObject({ type: "edit", id: "m-1", kind: "progress", activity: { revision: 2 } });
    expect(draw({})).not.toHaveProperty("activity");
  });
});

describe("given a frame with an invalid field inside another one", () => {
  it("then the problem names the path of the field", () => {
    const frame = { ...message("x"), attachments: [{ id: "a" }, { id: 7 }] };
    expect(parseFrame(Buffer.from(JSON.stringify(frame)))).toMatchObject({
      problem: expect.stringMatching(/^attachments\.1\.id: /),
    });
  });
});
