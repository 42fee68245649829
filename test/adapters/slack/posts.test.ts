import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { commandOfAction, renderPost } from "../../../adapters/slack/render.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor, sampleReply } from "../../fakes/sample-reply.ts";

const DM = { channel: "slack", workspace: "T1", room: "D1", kind: "private" } as const;
const post = (markdown: string, more: Partial<Delivery> = {}) => renderPost(sampleDelivery("r", DM, markdown, more));
const withButton = { reply: sampleReply("r", DM, "x", { actions: [{ name: "help", label: "Help" }] }) };

describe("given a reply that cannot be rendered (F37)", () => {
  it("then notifications show its source", () => {
    expect(post("**words**", { plain: true }).text).toBe("**words**");
  });

  it("when it fills the blocks of a message, then it has blocks; one character more and it is the text field", () => {
    const full = post("x".repeat(12_000), { plain: true });
    expect(full.blocks).toHaveLength(4);
    const section = "x".repeat(3_000);
    expect(post("x".repeat(12_001), { plain: true })).toStrictEqual({
      text: [section, section, section, section, "x"].join("\n\n"),
      blocks: [],
      attachments: [],
      parse: "none",
      link_names: false,
    });
  });
});

describe("given a reply too long for blocks", () => {
  const long = `a${">".repeat(9)}`.repeat(400);

  it("then it begins with its anchor in words, and its buttons are in an attachment (O9)", () => {
    const { text, attachments } = post(long, { anchor: sampleAnchor, ...withButton });
    expect(text.startsWith(`${sampleAnchor.text}\n\n`)).toBe(true);
    expect(attachments).toMatchObject([{ fallback: "", blocks: [{ type: "actions" }] }]);
  });

  it("when it has only buttons, then the attachment has no fallback text", () => {
    expect(post(long, withButton).attachments).toMatchObject([{ fallback: "", blocks: [{ type: "actions" }] }]);
    expect(post(long, { ...withButton, plain: true }).attachments).toMatchObject([{ fallback: "" }]);
    expect(post(long).attachments).toEqual([]);
  });
});

describe("given a digest with one answer (D5)", () => {
  it("then notifications show all of it, and an answer without an anchor has only its text", () => {
    const sections = [{ number: 1, markdown: "first", anchor: null }];
    expect(post("in words", { sections, ...withButton })).toMatchObject({
      text: "first",
      blocks: [{ type: "section" }, { type: "actions" }],
      attachments: [],
    });
  });
});

describe("given the tenth button of a message and later ones", () => {
  it("then a press of it is its command", () => {
    expect(commandOfAction("mooring:cancel:24")).toBe("cancel");
  });
});
