import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { splitMarkdown } from "../../../adapters/contract/markdown/split-markdown.ts";
import { renderMarkdown } from "../../../adapters/teams/markdown.ts";
import { MAX_PART_LENGTH, renderDelivery, sourceSize } from "../../../adapters/teams/render.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { renderedOrPlain } from "../../fakes/rendered-or-plain.ts";
import { sampleActivity } from "../../fakes/sample-activity.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor } from "../../fakes/sample-reply.ts";

const room: Conversation = { channel: "teams", room: "a:1", kind: "private" };
const rendered = (markdown: string, more: Partial<Delivery> = {}) =>
  renderedOrPlain(sampleDelivery("r1", room, markdown, more), renderDelivery);
const cardOf = (activity: ReturnType<typeof rendered>) => activity.attachments?.[0]?.content as Record<string, unknown>;
const buttonsOf = (activity: ReturnType<typeof rendered>) =>
  ((cardOf(activity)?.body ?? []) as { type: string; actions?: { title: string }[] }[])
    .filter(({ type }) => type === "ActionSet")
    .flatMap(({ actions = [] }) => actions);
/** The larger of the bytes in transit and the count of Teams, two bytes per UTF-16 unit. */
const bytesOf = (value: unknown) => {
  const json = JSON.stringify(value);
  return Math.max(Buffer.byteLength(json), json.length * 2);
};
const MAX_BYTES = 28 * 1024;
const partsOf = (markdown: string) => splitMarkdown(markdown, MAX_PART_LENGTH, sourceSize);
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

describe("given text that imitates mark-up (O16)", () => {
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
  ])("when it is %j, then only our own mark-up is in it", (markdown) => {
    const { text = "", entities } = rendered(markdown);
    expect(text.replace(OUR_TAGS, "")).not.toMatch(/[<>]|(?!\s)\p{Cc}/u);
    expect(text).not.toMatch(/href="(?!https?:|mailto:)/);
    expect(entities).toBeUndefined();
  });

  it("when it contains a date template of Teams, then it stays text, in message, card and preview", () => {
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

  it.each(["{[](){DATE(2026-01-02T03:04:05Z,SHORT)}}", "{****{TIME(2026-01-02T03:04:05Z)}}", "{![](){DATE(x)}}"])(
    "when only invisible mark-up is between the braces of %j, then it is not a template either",
    (hostile) => {
      const { text = "", summary } = rendered(hostile, { anchor: sampleAnchor });
      expect(text).not.toContain("{{");
      expect(text.replace(OUR_TAGS, "")).not.toContain("{{");
      expect(summary).not.toContain("{{");
    },
  );

  it("when it is braces with any mark-up between them, then it contains no template", () => {
    const piece = fc.constantFrom(
      "{",
      "{",
      "[]()",
      "[](x:)",
      "![]()",
      "****",
      "__",
      "~~",
      "``",
      "\\",
      "&#123;",
      "<b>",
      "a",
    );
    const hostile = fc.array(piece, { maxLength: 10 }).map((pieces) => `${pieces.join("")}DATE(x)}}`);
    fc.assert(
      fc.property(hostile, (markdown) => {
        const { text = "", summary = "" } = rendered(markdown, { anchor: sampleAnchor });
        for (const shown of [text, text.replace(OUR_TAGS, ""), summary]) expect(shown).not.toContain("{{");
      }),
      { numRuns: 300 },
    );
  });

  it("when it is arbitrary, then it has only our mark-up, no template, and all of its words (F25)", () => {
    const markup = fc.constantFrom(
      ...'*_`|<&{}[]()!#\\\n"'.split(""),
      ..."```\n, > , - ,1. ,[x](,[](),![](),{{,**,~~,\n\n,<at>,</p>,]]>,&#123;,&lbrace;,<!---->,DATE(x)}}".split(","),
    );
    const piece = fc.oneof(markup, markup, fc.string({ unit: "grapheme", maxLength: 5 }), fc.constant("word "));
    const anything = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(anything, (markdown) => {
        // The text after a fence names the language of the code and is not shown.
        fc.pre(!/(~~~|```).*word/.test(markdown));
        const { text = "" } = rendered(markdown);
        const shown = text.replace(OUR_TAGS, "");
        expect(shown).not.toMatch(/[<>]/);
        expect(text).not.toContain("{{");
        expect(shown).not.toContain("{{");
        expect(text.split("word").length).toBe(markdown.split("word").length);
      }),
      { numRuns: 300 },
    );
  });
});

describe("given long answers (D7)", () => {
  it("when quotes and lists are nested too deeply, then the source text is shown", () => {
    expect(rendered(`${"> ".repeat(3_000)}word`).text).toContain("&gt; &gt; word");
    expect(rendered("> > > - 1. word").text).toContain("<blockquote>");
  });

  it.each([
    ["words", "harbour lights "],
    ["emoji", "👩‍👩‍👧‍👦 "],
    ["Chinese", "港口的灯光。"],
    ["bold words", `${"**harbour** *lights* ".repeat(20)}\n\n`],
    ["a list", "- one thing after the other, and then some more of them\n"],
    ["code", "```\nif (a < b) return;\n```\n"],
  ])("when it is %s, then each part with its anchor is rendered and within the limits of all endpoints", (_, unit) => {
    const parts = partsOf(unit.repeat(Math.ceil(15_000 / unit.length)));
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      const activity = rendered(part, { anchor: sampleAnchor });
      expect(bytesOf(activity)).toBeLessThanOrEqual(MAX_BYTES);
      expect(activity.text?.includes("<p>") || activity.text?.includes("<pre>")).toBe(true);
    }
  });

  it.each([
    ["escapes", "&"],
    ["quotes", ">"],
    ["lists", "- "],
    ["numbered lists", "1. "],
    ["brackets", "["],
    ["stars", "*a* b "],
    ["backticks", "`"],
    ["tables", "|"],
    ["tags", "<a>"],
    ["line breaks", "\n\na"],
    ["quote signs", '"'],
    ["characters that XML forbids", "\u0001\ud800"],
    ["templates", "{{"],
    ["a table with one wide row", `|${"a|".repeat(300)}\n|${"-|".repeat(300)}\n|${"wide words here ".repeat(2)}|\n`],
  ])("when it is only %s, then each part is still within the limits of all endpoints", (_, unit) => {
    const [part = "", ...more] = partsOf(unit.repeat(Math.ceil(7_000 / unit.length)));
    expect(more).not.toEqual([]);
    expect(bytesOf(rendered(part, { anchor: sampleAnchor }))).toBeLessThanOrEqual(MAX_BYTES);
  });

  it("when text, anchor and buttons have their maximum size, then only buttons are dropped, and it fits", () => {
    const unit = fc.constantFrom(
      "港",
      "👩‍👩‍👧‍👦",
      "a",
      "&",
      "\n",
      "**b** ",
      "{{",
      '"',
      "\\",
      "\u0001",
      "é",
      "> ",
      "```\n",
    );
    const long = fc.array(unit, { minLength: 1, maxLength: 12 }).map((units) => units.join("").repeat(3_000));
    const count = fc.integer({ min: 0, max: 60 });
    fc.assert(
      fc.property(long, long, count, (markdown, summary, buttons) => {
        const [part = ""] = partsOf(markdown.slice(0, 7_000));
        const link = `https://x.example/${"港".repeat(500)}`;
        const actions = Array.from({ length: buttons }, (_, n) => ({ name: "retry", label: summary, value: `${n}` }));
        const delivery = sampleDelivery("r1", room, part, { anchor: { ...sampleAnchor, summary, link } });
        const activity = renderedOrPlain({ ...delivery, reply: { ...delivery.reply, actions } }, renderDelivery);
        expect(bytesOf(activity)).toBeLessThanOrEqual(MAX_BYTES);
        expect(JSON.stringify(activity)).toMatch(/\{\{DATE\(|started 21:14 from Elsewhere/);
      }),
      { numRuns: 8 },
    );
  });
});

describe("given an anchor (O10)", () => {
  it("then it stands before the text, and a subtle card has a date that the reader's client formats", () => {
    const activity = rendered("done", { anchor: sampleAnchor });
    expect(activity.text).toBe(
      "<blockquote>↳ Re: &quot;deep research&quot;<br/>started from Elsewhere</blockquote><p>done</p>",
    );
    expect(activity.attachments).toMatchObject([{ contentType: "application/vnd.microsoft.card.adaptive" }]);
    expect(cardOf(activity)).toMatchObject({
      type: "AdaptiveCard",
      version: "1.5",
      body: [
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
    expect(activity.summary).toBe(`${plain}\n**done**`);
  });

  it("when the work began at a message with a link, then the anchor links to it, and to no other address (O12)", () => {
    const shownWith = (link: string) => JSON.stringify(rendered("x", { anchor: { ...sampleAnchor, link } }));
    expect(rendered("x", { anchor: { ...sampleAnchor, link: "https://x.example/m" } }).text).toContain(
      '<a href="https://x.example/m">↳ Re: ',
    );
    expect(shownWith("javascript:alert(1)")).not.toContain("javascript");
  });

  it.each([
    ["scheduled", "scheduled · daily news"],
    ["a2a-inbound", "daily news"],
  ])("when the origin is %s, then the anchor says so (O5)", (channel, text) => {
    const anchor = { ...sampleAnchor, channel, summary: "daily news", ago: "just now" };
    const when = { text: expect.stringMatching(/^\{\{DATE\(\S+\)\}\} \{\{TIME\(\S+\)\}\}$/) };
    expect(cardOf(rendered("x", { anchor })).body).toMatchObject([when]);
    expect(rendered("x", { anchor }).text).toBe(`<blockquote>${text} · just now</blockquote><p>x</p>`);
  });

  it("when it is a digest, then each answer has its anchor before it, and its time in the card with its number (D5)", () => {
    const sections = [
      { number: 4, markdown: "**4.**\n\nfirst", anchor: sampleAnchor },
      { number: 5, markdown: "**5.**\n\nsecond {{", anchor: { ...sampleAnchor, channel: "scheduled" } },
    ];
    const activity = rendered("in words", { sections });
    expect(activity.text).toBe(
      "<blockquote>↳ Re: &quot;deep research&quot;<br/>started from Elsewhere</blockquote><p><strong>4.</strong></p><p>first</p>" +
        "<br/><blockquote>scheduled · deep research</blockquote><p><strong>5.</strong></p><p>second {\u2060{</p>",
    );
    const lines = (cardOf(activity).body as { text: string }[]).map(({ text }) => text);
    expect(lines).toEqual([
      "4. started {{DATE(2025-01-01T00:00:00Z,SHORT)}} {{TIME(2025-01-01T00:00:00Z)}} from Elsewhere",
      "5. {{DATE(2025-01-01T00:00:00Z,SHORT)}} {{TIME(2025-01-01T00:00:00Z)}}",
    ]);
    expect(cardOf(activity).fallbackText).toMatch(/^4\. ↳ Re: .*\n5\. scheduled · /);
  });

  it("when its parts are unusual, then it stays a small card", () => {
    const anchor = { ...sampleAnchor, channel: "**x**[y](z)", summary: "e\u0301".repeat(5_000) };
    const activity = rendered("x", { anchor });
    expect(bytesOf(activity.attachments)).toBeLessThan(8_000);
    expect(JSON.stringify(cardOf(activity).body)).not.toContain("**");
  });
});

describe("given actions", () => {
  const withActions = (count: number, more: Partial<Delivery> = {}) => {
    const delivery = sampleDelivery("r1", room, "x", more);
    const actions = Array.from({ length: count }, (_, n) => ({ name: "retry", label: `Retry ${n}`, value: `d-${n}` }));
    return renderDelivery({ ...delivery, reply: { ...delivery.reply, actions } });
  };

  it("then each is a button that contains its command", () => {
    expect(buttonsOf(withActions(1))).toEqual([
      { type: "Action.Submit", title: "Retry 0", data: { mooring: { command: "retry", args: "d-0" } } },
    ]);
  });

  it("when there are as many as a page of the inbox has, then all are shown, a few in each row (D6)", () => {
    const activity = withActions(10);
    expect(buttonsOf(activity).map(({ title }) => title)).toEqual(Array.from({ length: 10 }, (_, n) => `Retry ${n}`));
    const rows = cardOf(activity).body as { actions: unknown[] }[];
    expect(rows.map(({ actions }) => actions.length)).toEqual([3, 3, 3, 1]);
  });

  it("when there are too many, or a value is too long, then the card stays within the limits of Teams", () => {
    expect(buttonsOf(withActions(60))).toHaveLength(24);
    const delivery = sampleDelivery("r1", room, "x");
    const actions = [{ name: "retry", label: "x".repeat(500), value: "v".repeat(30_000) }];
    expect(renderDelivery({ ...delivery, reply: { ...delivery.reply, actions } }).attachments).toBeUndefined();
  });

  it("when it is not the last part, then it has no buttons", () => {
    expect(withActions(1, { part: { index: 0, count: 2, markdown: "x" } }).attachments).toBeUndefined();
  });

  it("when work is in progress, then each item has one button to cancel it", () => {
    const reply = sampleActivity("t1", room, 1);
    const buttons = buttonsOf(renderDelivery({ ...sampleDelivery("r1", room, "x"), reply }));
    expect(buttons.map(({ title }) => title)).toEqual(["Cancel “tides”", "Cancel “knots”"]);
  });

  it("when it is a part of a digest, then it has the buttons of its items (O13)", () => {
    const sections = [{ number: 1, markdown: "x", anchor: sampleAnchor }];
    expect(buttonsOf(withActions(1, { part: { index: 0, count: 2, markdown: "x" }, sections }))).toHaveLength(1);
  });
});

describe("given markdown that Teams has no mark-up for", () => {
  it.each([
    ["an empty item", "-\n- b", "<p>• <br/>• b</p>"],
    ["an item that is only code", "- ```\n  ls\n  ```", "<p>• </p><pre>ls</pre>"],
    [
      "code and a quote in one item",
      "- a\n\n  ```\n  ls\n  ```\n\n  > q",
      "<p>• a</p><pre>ls</pre><blockquote><p>q</p></blockquote>",
    ],
    ["a link without encryption", "[x](http://x.example/)", '<p><a href="http://x.example/">x</a></p>'],
    ["an address that runs code", "[x](javascript:'https:')", "<p>x (javascript:'https:')</p>"],
    ["a link to a file", "[x](notes.md)", "<p>x (notes.md)</p>"],
    ["a link without an address", "[x]()", "<p>x</p>"],
    [
      "a label in capitals",
      "[Docs]\n\n[Docs]: https://x.example/",
      '<p><a href="https://x.example/">Docs</a></p><p>[Docs]: https://x.example/</p>',
    ],
  ])("when it has %s, then all of it is shown", (_, markdown, xml) => {
    expect(renderMarkdown(markdown)).toBe(xml);
  });

  it("when quotes are nested more deeply than a phone can show, then the inner ones stay at the last level", () => {
    const levels = (markdown: string) => renderMarkdown(markdown).split("<blockquote>").length - 1;
    expect(levels("> > > > x")).toBe(4);
    expect(levels("> > > > > > x")).toBe(4);
    expect(levels("- > > > > > x")).toBe(3);
  });
});
