import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { visibleLength } from "../../../adapters/telegram/html.ts";
import { anchorLength, MAX_PART_LENGTH, renderAnchor, renderText } from "../../../adapters/telegram/render.ts";
import type { Anchor } from "../../../core/contract/messages/agent-reply.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor } from "../../fakes/sample-reply.ts";
import { parseHtml } from "../../fakes/telegram/parse-html.ts";

const target = { channel: "telegram", room: "100001", kind: "private" } as const;
const rendered = (markdown: string, more: Partial<Delivery> = {}) =>
  renderText(sampleDelivery("r1", target, markdown, more)).html;

describe("given markdown for Telegram", () => {
  it.each([
    ["**bold** *it* ~~gone~~ `a<b`", "<b>bold</b> <i>it</i> <s>gone</s> <code>a&lt;b</code>"],
    ["# A **title**", "<b>A title</b>"],
    ["[site](https://a.example/?x=1&y=2)", '<a href="https://a.example/?x=1&amp;y=2">site</a>'],
    ["[ann](tg://user?id=100001)", "ann (tg://user?id=100001)"],
    ["- one\n- [x] two\n  - three", "• one\n☑ two\n  • three"],
    ["2. two\n3. three", "2. two\n3. three"],
    ["```ts\nif (a < b) {}\n```", '<pre><code class="language-ts">if (a &lt; b) {}</code></pre>'],
    ["> quoted\n> twice", "│ quoted\n│ twice"],
    ["a\n\n---\n\nb", "a\n\n———\n\nb"],
    ["<b>raw</b> & <blockquote>x</blockquote>", "&lt;b&gt;raw&lt;/b&gt; &amp; &lt;blockquote&gt;x&lt;/blockquote&gt;"],
    ["ask @ann_user or a@b.example", "ask @\u2060ann_user or a@b.example"],
  ])("when it is %j, then Telegram gets the mark-up of its own (O16)", (markdown, html) => {
    expect(rendered(markdown)).toBe(html);
  });

  it("when mark-up makes a text longer than a message, then people see the text as it was written (D7)", () => {
    const markdown = `> abcde\n${"abcde\n".repeat(590)}`;
    expect(markdown.length).toBeLessThanOrEqual(MAX_PART_LENGTH);
    const { text } = parseHtml(rendered(markdown, { anchor: sampleAnchor }));
    expect(text.length).toBeLessThanOrEqual(4_096);
    expect(text).toContain("> abcde\n");
    expect(text).toContain(sampleAnchor.text);
  });

  it("when nothing in it is visible, then people see its source", () => {
    expect(rendered("[a]: https://a.example")).toBe("[a]: https://a.example");
    expect(rendered("   ")).toBe("…");
  });
});

describe("given anchors on Telegram (O9, O10)", () => {
  const link = "https://t.me/c/1000000001/12";
  const anchors: readonly [string, Anchor][] = [
    ["work of a person", sampleAnchor],
    ["with a link", { ...sampleAnchor, link }],
    ["with a link that is not of the web", { ...sampleAnchor, link: "tg://user?id=1" }],
    [
      "with mark-up in the summary",
      { ...sampleAnchor, summary: "<b>@ann</b>", text: '↳ Re: "<b>@ann</b>"\nstarted 21:14' },
    ],
    ["a schedule", { ...sampleAnchor, channel: "scheduled", text: "scheduled · tides · just now" }],
    ["a task of another agent", { ...sampleAnchor, channel: "a2a-inbound", text: "harbour · forecast · 3 min ago" }],
  ];

  it("when they are drawn, then each is a block quote before the text", () => {
    const text = anchors.map(([what, anchor]) => `# ${what}\n${rendered("The answer.", { anchor })}\n`).join("\n");
    return expect(text).toMatchFileSnapshot("golden/anchors.txt");
  });

  it("when a digest is drawn, then each section has its own", () => {
    const sections = anchors.map(([what, anchor], index) => ({
      number: index + 1,
      markdown: `${index + 1}. ${what}`,
      anchor,
    }));
    return expect(rendered("digest", { sections })).toMatchFileSnapshot("golden/digest.txt");
  });

  it("when a summary has thousands of units, then the anchor stays short and whole graphemes remain", () => {
    const summary = "👩‍👩‍👧‍👦".repeat(80);
    const anchor = { ...sampleAnchor, summary, text: `↳ Re: "${summary}"\nstarted 21:14 from Slack · 2h ago` };
    expect(anchorLength(anchor)).toBeLessThanOrEqual(400);
    expect(renderAnchor(anchor)).toMatch(/👩‍👩‍👧‍👦…&quot;\nstarted 21:14 from Slack · 2h ago<\/blockquote>$/);
    const longest = rendered("x".repeat(MAX_PART_LENGTH), { anchor: { ...anchor, link } });
    expect(visibleLength(longest)).toBeLessThanOrEqual(4_096);
  });

  it("when a delivery is plain, then it has the text and its anchor without mark-up (F37)", () => {
    expect(rendered("**a** <b>", { anchor: sampleAnchor, plain: true })).toBe(
      `${sampleAnchor.text.replaceAll('"', "&quot;")}\n\n**a** &lt;b&gt;`,
    );
  });
});
