import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { anchorBytes, bytesOf as bytesOfJson, renderDelivery, sourceSize } from "../../../adapters/teams/render.ts";
import type { Anchor, ReplyAction } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor } from "../../fakes/sample-reply.ts";

const room: Conversation = { channel: "teams", room: "a:1", kind: "private" };
const rendered = (markdown: string, more: Partial<Delivery> = {}) =>
  renderDelivery(sampleDelivery("r1", room, markdown, more));
const withActions = (markdown: string, actions: ReplyAction[]) => {
  const delivery = sampleDelivery("r1", room, markdown);
  return renderDelivery({ ...delivery, reply: { ...delivery.reply, actions } });
};
const cardOf = (activity: ReturnType<typeof rendered>) => activity.attachments?.[0]?.content as Record<string, unknown>;
const buttonsOf = (activity: ReturnType<typeof rendered>) =>
  ((cardOf(activity)?.body ?? []) as { actions?: { title: string }[] }[]).flatMap(({ actions = [] }) => actions);
const bytesOf = (value: unknown) => bytesOfJson(JSON.stringify(value));

describe("given a message at the limits of Teams", () => {
  const pressable = (count: number, value: string) =>
    Array.from({ length: count }, (_, n) => ({ name: "retry", label: `Retry ${n}`, value }));

  it("when the rendered text just fits, then it is sent rendered, and one letter more as its source", () => {
    const overhead = JSON.stringify(rendered("")).length + "<p></p>".length;
    const letters = "x".repeat((27 * 1024) / 2 - overhead);
    expect(rendered(letters).text).toBe(`<p>${letters}</p>`);
    expect(rendered(`${letters}x`).text).toBe(`${letters}x`);
  });

  it("when not all buttons fit, then the first ones are shown", () => {
    const activity = withActions("x", pressable(24, "v".repeat(2_000)));
    const titles = buttonsOf(activity).map(({ title }) => title);
    expect(titles.length).toBeGreaterThan(3);
    expect(titles.length).toBeLessThan(24);
    expect(titles).toEqual(Array.from({ length: titles.length }, (_, n) => `Retry ${n}`));
    expect(bytesOf(activity)).toBeLessThanOrEqual(27 * 1024);
    expect(bytesOf(activity)).toBeGreaterThan(22 * 1024);
  });

  it("when the text alone is too large, then there are no buttons", () => {
    expect(withActions("x".repeat(15_000), pressable(2, "v"))).not.toHaveProperty("attachments");
  });

  it("when the value of a button is longer than 2,000 characters, then only that button is dropped", () => {
    const actions = [2_001, 2_000].map((length) => ({ name: "x", label: `${length}`, value: "v".repeat(length) }));
    expect(buttonsOf(withActions("x", actions))).toMatchObject([{ title: "2000" }]);
  });

  it("then the quotes around a text do not count as its size", () => {
    expect(sourceSize("")).toBe(0);
    expect(sourceSize("ab")).toBe(4);
  });
});

describe("given an anchor and its card", () => {
  const renderedAnchor = (more: Partial<Anchor> = {}) => rendered("x", { anchor: { ...sampleAnchor, ...more } });
  const textOf = (more: Partial<Anchor>) => renderedAnchor(more).text;

  it("then it stands before the text, and the card has its time, small and subtle (O9, O10)", () => {
    expect(renderedAnchor()).toStrictEqual({
      type: "message",
      textFormat: "xml",
      text: "<blockquote>↳ Re: &quot;deep research&quot;<br/>started from Elsewhere</blockquote><p>x</p>",
      summary: `${cardOf(renderedAnchor()).fallbackText}\nx`,
      attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content: cardOf(renderedAnchor()) }],
    });
    expect(cardOf(renderedAnchor())).toStrictEqual({
      type: "AdaptiveCard",
      $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
      version: "1.5",
      fallbackText: expect.any(String),
      body: [
        {
          type: "TextBlock",
          text: expect.stringContaining("from Elsewhere"),
          size: "Small",
          isSubtle: true,
          spacing: "None",
          wrap: true,
        },
      ],
    });
  });

  it("when there is no anchor, then there is no summary, and a card of buttons has no fallback text", () => {
    expect(rendered("x")).toStrictEqual({ type: "message", textFormat: "xml", text: "<p>x</p>" });
    const activity = withActions("x", [{ name: "help", label: "Help" }]);
    expect(activity).not.toHaveProperty("summary");
    expect(cardOf(activity)).not.toHaveProperty("fallbackText");
    expect(buttonsOf(activity)).toMatchObject([{ data: { mooring: { command: "help", args: "" } } }]);
  });

  it("when its link is too long for a card, or not a web address, then it has no link (O12)", () => {
    const link = `http://x.example/${"m".repeat(1_000 - "http://x.example/".length)}`;
    expect(textOf({ link })).toContain(`<a href="${link}">↳ Re: `);
    expect(textOf({ link: `${link}m` })).not.toContain("<a ");
    expect(textOf({ link: "javascript:'https:'" })).not.toContain("<a ");
  });

  it("when the summary or the channel is long, then each is cut, in one line", () => {
    expect(textOf({ summary: `two\n\n  lines ${"x".repeat(400)}` })).toContain(
      `↳ Re: &quot;two lines ${"x".repeat(290)}&quot;<br/>`,
    );
    const named = cardOf(renderedAnchor({ channel: `**${"y".repeat(50)}**` })).fallbackText;
    expect(named).toMatch(/ from Yy{39}$/);
  });

  it("when a label is long, then the button shows its first 40 characters", () => {
    const buttons = buttonsOf(withActions("x", [{ name: "retry", label: "🙂".repeat(41) }]));
    expect(buttons).toMatchObject([{ title: "🙂".repeat(40) }]);
  });

  it("then the preview begins with the anchor, and the text follows in one line (O9)", () => {
    const preview = rendered(`\n one\n\n  two ${"x".repeat(200)}`, { anchor: sampleAnchor }).summary ?? "";
    expect(preview.split("\n")[0]).toMatch(/^↳ Re: "deep research" · started .* from Elsewhere$/);
    expect(preview.split("\n")[1]).toBe(`one two ${"x".repeat(132)}`);
  });

  it("when the text cannot be rendered, then the anchor stands before it as text (F37)", () => {
    const delivery = sampleDelivery("r1", room, "  **done**\n\n", { anchor: sampleAnchor, plain: true });
    expect(renderDelivery(delivery).text).toBe(
      "↳ Re: &quot;deep research&quot;<br/>started 21:14 from Elsewhere · 2h 14m ago<br/><br/>  **done**<br/><br/>",
    );
  });

  it("when it is one of a digest, then its counted size covers all that it adds (D5)", () => {
    const section = { number: 10, markdown: "", anchor: sampleAnchor };
    const sizeOf = (count: number) =>
      bytesOf(rendered("x", { sections: Array.from({ length: count }, () => section) }));
    expect(sizeOf(2) - sizeOf(1)).toBeGreaterThan(100);
    expect(sizeOf(2) - sizeOf(1)).toBeLessThanOrEqual(anchorBytes(sampleAnchor));
    expect(anchorBytes(sampleAnchor)).toBeLessThan(2_000);
  });
});
