import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { splitMarkdown } from "../../../adapters/contract/split-markdown.ts";
import { MAX_PART_LENGTH, renderDelivery } from "../../../adapters/teams/render.ts";
import { renderMarkdown } from "../../../adapters/teams/render-markdown.ts";
import type { Conversation } from "../../../core/contract/conversation.ts";
import { sampleActivity } from "../../fakes/sample-activity.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor } from "../../fakes/sample-reply.ts";

const room: Conversation = { channel: "teams", room: "a:1", kind: "private" };
const rendered = (markdown: string, more: Partial<Delivery> = {}) =>
  renderDelivery(sampleDelivery("r1", room, markdown, more));
const cardOf = (activity: ReturnType<typeof rendered>) => activity.attachments?.[0]?.content as Record<string, unknown>;
/** Teams counts two bytes a character. */
const bytesOf = (value: unknown) => JSON.stringify(value).length * 2;
const OUR_TAGS = /<\/?(?:p|strong|em|strike|code|pre|blockquote)>|<br\/>|<a href="[^"<>]*">|<\/a>/g;

describe("given markdown", () => {
  it.each([
    ["**bold** and *italic*", "<p><strong>bold</strong> and <em>italic</em></p>"],
    ["~~gone~~", "<p><strike>gone</strike></p>"],
    ["# Heading", "<p><strong>Heading</strong></p>"],
    ["one\ntwo", "<p>one<br/>two</p>"],
    ["one\n\ntwo", "<p>one</p><p>two</p>"],
    ["`a < b`", "<p><code>a &lt; b</code></p>"],
    ["```js\nif (a && b) {\n}\n```", "<pre>if (a &amp;&amp; b) {\n}</pre>"],
    ["> said", "<blockquote><p>said</p></blockquote>"],
    ["- one\n- two\n  - three", "<p>• one<br/>• two<br/>&nbsp;&nbsp;&nbsp;&nbsp;• three</p>"],
    ["3. three\n4. four", "<p>3. three<br/>4. four</p>"],
    ["- [x] done\n- [ ] open", "<p>☑ done<br/>☐ open</p>"],
    ["- one\n\n  more", "<p>• one<br/>&nbsp;&nbsp;more</p>"],
    ["- run\n\n  ```\n  ls\n  ```\n- end", "<p>• run</p><pre>ls</pre><p>• end</p>"],
    ["[docs](https://x.example/a?b=1&c=2)", '<p><a href="https://x.example/a?b=1&amp;c=2">docs</a></p>'],
    [
      "[docs][1]\n\n[1]: https://x.example/",
      '<p><a href="https://x.example/">docs</a></p><p>[1]: https://x.example/</p>',
    ],
    ["https://x.example/%2F", '<p><a href="https://x.example/%2F">https://x.example/%2F</a></p>'],
    ["![a cat](https://x.example/c.png)", '<p><a href="https://x.example/c.png">a cat</a></p>'],
    ["---", "<p>———</p>"],
    ["--------------------", "<p>———</p>"],
    ["|a|b|\n|-|-|\n|1|long|", "<pre>a | b\n--+-----\n1 | long</pre>"],
    ["note[^1]\n\n[^1]: below", "<p>note[1]</p><p>[1]</p><p>below</p>"],
  ])("when it is %j, then Teams shows it on every client", (markdown, xml) => {
    expect(renderMarkdown(markdown)).toBe(xml);
  });
});

describe("given text that would like to be more than text (O16)", () => {
  it.each([
    "<at>Everyone</at>",
    "`<at>Everyone</at>`",
    "```\n<at>Everyone</at>\n```",
    '<img src="https://evil.example/?q=secret">',
    "<script>alert(1)</script>",
    "[click](javascript:alert(1))",
    "[click](data:text/html,x)",
    '[click](https://x.example/"><at>a</at>)',
    "![x](https://x.example/<at>)",
    "| <at>a</at> |\n|-|\n| <b>x</b> |",
    "a\u0000b\u0008c",
  ])("when it is %j, then all mark-up in it is ours", (markdown) => {
    const { text = "", entities } = rendered(markdown);
    expect(text.replace(OUR_TAGS, "")).not.toMatch(/[<>]|(?!\s)\p{Cc}/u);
    expect(text).not.toMatch(/href="(?!https?:|mailto:)/);
    expect(entities).toBeUndefined();
  });

  it("when it has a date of the platform in it, then nobody replaces it, in text, card or preview", () => {
    const hostile = "{{DATE(2026-01-02T03:04:05Z,SHORT)}} {{{{TIME(2026-01-02T03:04:05Z)}}}}";
    const anchor = { ...sampleAnchor, summary: hostile };
    const actions = [{ name: "why", label: hostile }];
    const delivery = sampleDelivery("r1", room, `${hostile}\n\n\`${hostile}\``, { anchor });
    const { text, summary, attachments } = renderDelivery({ ...delivery, reply: { ...delivery.reply, actions } });
    expect(text).not.toContain("{{");
    expect(summary).not.toContain("{{");
    const templates = JSON.stringify(attachments).match(/\{\{.*?\}\}/g);
    expect(templates).toEqual(["{{DATE(2025-01-01T00:00:00Z,SHORT)}}", "{{TIME(2025-01-01T00:00:00Z)}}"]);
  });

  it("when it is anything at all, then all mark-up is ours, it fits, and its words are all there", () => {
    const markup = fc.constantFrom(
      "*",
      "_",
      "`",
      "```\n",
      "> ",
      "- ",
      "1. ",
      "|",
      "<",
      "&",
      "{{",
      "[x](",
      "\n",
      "\n\n",
      "#",
    );
    const piece = fc.oneof(markup, fc.string({ unit: "grapheme" }), fc.constantFrom("word ", "<at>", "</p>", "]]>"));
    const anything = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(anything, (markdown) => {
        const { text = "" } = rendered(markdown);
        expect(text.replace(OUR_TAGS, "")).not.toMatch(/[<>]/);
        expect(text).not.toContain("{{");
        expect(text.split("word").length).toBe(markdown.split("word").length);
      }),
      { numRuns: 150 },
    );
  });
});

describe("given long answers (D7)", () => {
  it("when quotes and lists are nested without end, then it is shown as it was written", () => {
    expect(rendered(`${"> ".repeat(3_000)}word`).text).toContain("&gt; &gt; word");
    expect(rendered("> > > - 1. word").text).toContain("<blockquote>");
  });

  it.each([
    ["words", "harbour lights "],
    ["emoji", "👩‍👩‍👧‍👦 "],
    ["Chinese", "港口的灯光。"],
    ["bold words", "**harbour** *lights* "],
    ["a list", "- one thing after the other, and then some more of them\n"],
    ["code", "```\nif (a < b) return;\n```\n"],
  ])("when it is %s, then each part, with its anchor, is what Teams takes everywhere", (_, unit) => {
    const long = unit.repeat(Math.ceil(30_000 / unit.length));
    const parts = splitMarkdown(long, MAX_PART_LENGTH);
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) {
      const activity = rendered(part, { anchor: sampleAnchor });
      expect(bytesOf(activity)).toBeLessThanOrEqual(28 * 1024);
      expect(activity.text?.includes("<p>") || activity.text?.includes("<pre>")).toBe(true);
    }
  });

  it.each([
    ["escapes", "&"],
    ["quotes", ">"],
    ["lists", "- "],
    ["numbered lists", "1. "],
    ["brackets", "["],
    ["stars", "*a*"],
    ["backticks", "`"],
    ["tables", "|"],
    ["tags", "<a>"],
    ["line breaks", "\n\na"],
    ["quote signs", '"'],
  ])("when it is nothing but %s, then it still is below what Teams takes at all", (_, unit) => {
    const part = unit.repeat(Math.floor(MAX_PART_LENGTH / unit.length));
    expect(bytesOf(rendered(part, { anchor: sampleAnchor }))).toBeLessThanOrEqual(100 * 1024);
  });
});

describe("given an anchor (O10)", () => {
  it("then it is a subtle card of its own, with a date that the reader's client writes", () => {
    const activity = rendered("done", { anchor: sampleAnchor });
    expect(activity.text).toBe("<p>done</p>");
    expect(activity.attachments).toMatchObject([{ contentType: "application/vnd.microsoft.card.adaptive" }]);
    expect(cardOf(activity)).toMatchObject({
      type: "AdaptiveCard",
      version: "1.5",
      body: [
        { type: "RichTextBlock", inlines: [{ type: "TextRun", text: '↳ Re: "deep research"', isSubtle: true }] },
        {
          type: "TextBlock",
          isSubtle: true,
          size: "Small",
          text: "started {{DATE(2025-01-01T00:00:00Z,SHORT)}} {{TIME(2025-01-01T00:00:00Z)}} from Elsewhere",
        },
      ],
    });
  });

  it("when cards are not shown, then the preview and the fallback are readable", () => {
    const activity = rendered("**done**", { anchor: sampleAnchor });
    const plain = '↳ Re: "deep research" · started 2025-01-01 00:00 UTC from Elsewhere';
    expect(cardOf(activity).fallbackText).toBe(plain);
    expect(activity.summary).toBe(`**done**\n${plain}`);
  });

  it("when the work began at a message with a link, then the anchor goes there; other links do not (O12)", () => {
    const inlinesOf = (link: string) => JSON.stringify(cardOf(rendered("x", { anchor: { ...sampleAnchor, link } })));
    expect(inlinesOf("https://x.example/m")).toContain('{"type":"Action.OpenUrl","url":"https://x.example/m"}');
    expect(inlinesOf("javascript:alert(1)")).not.toContain("javascript");
  });

  it.each([
    ["scheduled", "scheduled · daily news"],
    ["a2a-inbound", "daily news"],
  ])("when the origin is %s, then it reads as such (O5)", (channel, text) => {
    const anchor = { ...sampleAnchor, channel, summary: "daily news" };
    const when = { text: expect.stringMatching(/^\{\{DATE\(\S+\)\}\} \{\{TIME\(\S+\)\}\}$/) };
    expect(cardOf(rendered("x", { anchor })).body).toMatchObject([{ inlines: [{ text }] }, when]);
  });

  it("when its parts are odd, then it stays a small card", () => {
    const anchor = { ...sampleAnchor, channel: "**x**[y](z)", summary: "e\u0301".repeat(5_000) };
    const activity = rendered("x", { anchor });
    expect(bytesOf(activity.attachments)).toBeLessThan(8_000);
    expect(JSON.stringify(cardOf(activity).body)).not.toContain("**");
  });
});

describe("given something to press", () => {
  const withActions = (count: number, more: Partial<Delivery> = {}) => {
    const delivery = sampleDelivery("r1", room, "x", more);
    const actions = Array.from({ length: count }, (_, n) => ({ name: "retry", label: `Retry ${n}`, value: `d-${n}` }));
    return renderDelivery({ ...delivery, reply: { ...delivery.reply, actions } });
  };

  it("then it is a button that carries its command", () => {
    expect(cardOf(withActions(1)).actions).toEqual([
      { type: "Action.Submit", title: "Retry 0", data: { mooring: { command: "retry", args: "d-0" } } },
    ]);
  });

  it("when there are many, or a value has no end, then the card stays what Teams shows", () => {
    expect(cardOf(withActions(20)).actions).toHaveLength(6);
    const delivery = sampleDelivery("r1", room, "x");
    const actions = [{ name: "retry", label: "x".repeat(500), value: "v".repeat(30_000) }];
    expect(renderDelivery({ ...delivery, reply: { ...delivery.reply, actions } }).attachments).toBeUndefined();
  });

  it("when it is not the last part, then it waits for that", () => {
    expect(withActions(1, { part: { index: 0, count: 2, markdown: "x" } }).attachments).toBeUndefined();
  });

  it("when a message is anchored, then one can ask why (O13)", () => {
    const { actions } = cardOf(rendered("x", { anchor: sampleAnchor }));
    expect(actions).toMatchObject([{ title: "Why?", data: { mooring: { command: "why", args: "r1" } } }]);
  });

  it("when work is under way, then each piece can be cancelled", () => {
    const reply = sampleActivity("t1", room, 1);
    const { actions } = cardOf(renderDelivery({ ...sampleDelivery("r1", room, "x"), reply }));
    expect(actions).toMatchObject([
      { title: "Cancel tides", data: { mooring: { command: "cancel", args: "subtask-tides" } } },
      { title: "Cancel knots" },
    ]);
  });
});
