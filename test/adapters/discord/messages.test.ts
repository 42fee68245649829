import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { renderMarkdown } from "../../../adapters/discord/markdown.ts";
import { nonceOf, renderAnchor, renderParts } from "../../../adapters/discord/render.ts";
import { smallPrintOf } from "../../fakes/discord/post-input.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor, sampleReply } from "../../fakes/sample-reply.ts";

const DM = { channel: "discord", room: "1", kind: "private" } as const;
const posts = (markdown: string, more: Partial<Delivery> = {}) => renderParts(sampleDelivery("r1", DM, markdown, more));
const contents = (...args: Parameters<typeof posts>) => posts(...args).map(({ content }) => content);
const lengths = (...args: Parameters<typeof posts>) => contents(...args).map(({ length }) => length);

describe("given an anchor on Discord (O10)", () => {
  const STARTED = Date.parse(sampleAnchor.startedAt);
  const SECONDS = STARTED / 1_000;
  const rendered = (more: Partial<typeof sampleAnchor> = {}, ageMs = 0) =>
    renderAnchor({ ...sampleAnchor, ...more }, new Date(STARTED + ageMs).toISOString());
  const summaryIn = (summary: string) => /^-# ↳ Re: "(.*)" · started /.exec(rendered({ summary }))?.[1];

  it("then it is one line with the time and the age, in the reader's zone", () => {
    expect(rendered()).toBe(`-# ↳ Re: "deep research" · started <t:${SECONDS}:t> from Elsewhere · <t:${SECONDS}:R>`);
  });

  it("when the work began more than half a day before the reply, then the line has the date too", () => {
    const halfDay = 12 * 3_600_000;
    expect(rendered({}, halfDay)).toContain(`started <t:${SECONDS}:t> from`);
    expect(rendered({}, halfDay + 1)).toContain(`started <t:${SECONDS}:f> from`);
  });

  it("when a schedule or another agent began the work, then the line says that instead of a channel (O5)", () => {
    expect(rendered({ channel: "scheduled" })).toBe(`-# scheduled · deep research · <t:${SECONDS}:R>`);
    expect(rendered({ channel: "a2a-inbound" })).toBe(`-# deep research · <t:${SECONDS}:R>`);
  });

  it("when the first message has a web link of at most 150 characters, then the line leads there (O12)", () => {
    const link = `http://x.example/${"m".repeat(150 - "http://x.example/".length)}`;
    expect(rendered({ link: "https://x.example/a(b)" })).toMatch(/ · \[jump\]\(https:\/\/x\.example\/a%28b%29\)$/);
    expect(rendered({ link })).toContain(` · [jump](${link})`);
    for (const other of [`${link}m`, "javascript:'https://'"]) expect(rendered({ link: other })).toBe(rendered());
  });

  it("when the summary is long, then it is cut between characters, in one line", () => {
    expect(summaryIn(" two\n\n  lines ")).toBe("two lines");
    expect(summaryIn("x".repeat(120))).toBe("x".repeat(120));
    expect(summaryIn("x".repeat(121))).toBe(`${"x".repeat(119)}…`);
    expect(summaryIn("👩‍👩‍👧‍👦".repeat(20))).toBe(`${"👩‍👩‍👧‍👦".repeat(10)}…`);
  });
});

describe("given markdown that is rare in chats", () => {
  it.each([
    ["a number that begins no list", "1\\. a", "1\\. a"],
    ["a heading of two lines", "a\nb\n===", "# a b"],
    ["a heading of the third level", "### three", "### three"],
    ["a label of two lines", "[a\nb](https://example.com)", "[a b](https://example.com)"],
    ["signs in an address", "[x](<https://example.com/a(b)\tc>)", "[x](https://example.com/a%28b%29%09c)"],
    ["an address without encryption", "[x](http://example.com/a)", "[x](http://example.com/a)"],
    ["an address that hides code", "[x](javascript:'https://')", "x (javascript:'https://')"],
    ["a file without a label", "[](notes.md)", "notes.md"],
    ["an address without a label", "[](https://example.com)", "https://example.com"],
    ["an address without its scheme", "see www.example.com", "see http://www.example.com"],
    ["code with a backtick", "``a`b``", "`` a`b ``"],
    ["code with two backticks", "```a``b```", "`` a`\u200b`b ``"],
    ["code in a language", "```ts\nx\n```", "```ts\nx\n```"],
    ["bold white space", "a **&#32;** b", "a   b"],
    ["a footnote", "note[^1]\n\n[^1]: below", "note\\[1\\]\n\n\\[1\\] below"],
  ])("when there is %s, then it is rendered for Discord", (_, markdown, rendered) => {
    expect(renderMarkdown(markdown)).toBe(rendered);
  });

  it("when the language of a block is not a name, then the block has none", () => {
    const languageOf = (name: string) => /^```(.*)\n/.exec(renderMarkdown(`~~~${name}\nx\n~~~`))?.[1];
    expect(languageOf("c++")).toBe("c++");
    expect(languageOf("l".repeat(32))).toBe("l".repeat(32));
    for (const other of ["l".repeat(33), "/ts", "ts/"]) expect(languageOf(other)).toBe("");
  });

  it("when a table is wider than a screen, then its columns are not aligned", () => {
    const table = (width: number) => renderMarkdown(`| ${"a".repeat(width)} | b |\n|--|--|\n| 1 | 2 |`);
    expect(table(79)).toContain(`\n1${" ".repeat(78)} │ 2\n`);
    expect(table(80)).toBe(`\`\`\`\n${"a".repeat(80)} │ b\n1 │ 2\n\`\`\``);
  });
});

describe("given a text for Discord", () => {
  it("when it is short, then it is one message that mentions no one", () => {
    expect(posts("hello @everyone")).toStrictEqual([
      { content: "hello @everyone", components: [], allowed_mentions: { parse: [] } },
    ]);
    expect(contents("\n[1]: https://example.com\n")).toEqual(["\\[1\\]: https://example.com"]);
  });

  it("when its mark-up does not fit into one message, then it is halved, and the last message has the buttons (D7)", () => {
    const reply = { ...sampleReply("r1", DM, "x"), actions: [{ name: "help", label: "Help" }] };
    const halves = posts("a|".repeat(700), { reply });
    expect(halves.map(({ content }) => content)).toEqual(["a\\|".repeat(350), "a\\|".repeat(350)]);
    expect(halves.map(({ components }) => components.length)).toEqual([0, 1]);
    expect(lengths("a|".repeat(600))).toEqual([900, 900]);
  });

  it("when it has room for an anchor, then it is one message; with a letter more it is split", () => {
    expect(lengths("x".repeat(1_570))).toEqual([1_570]);
    expect(lengths("x".repeat(1_571)).length).toBeGreaterThan(1);
  });

  it("when the anchor is long too, then both fit", () => {
    const anchor = { ...sampleAnchor, summary: "_".repeat(200), link: `https://x.example/${"m".repeat(130)}` };
    const texts = contents("x".repeat(1_900), { anchor });
    expect(texts.every(({ length }) => length <= 2_000)).toBe(true);
    expect(texts.map((content) => smallPrintOf({ content }).length)).toEqual([1, ...texts.slice(1).map(() => 0)]);
    expect(contents(" ", { anchor: sampleAnchor })[0]).toMatch(/^-# ↳ Re: /);
  });

  it("when a short table grows beyond one message, then each message has a block of it", () => {
    const texts = contents(`| ${"h".repeat(60)} | b |\n|--|--|\n${"|a|b|\n".repeat(45)}`);
    expect(texts.length).toBeGreaterThan(1);
    for (const text of texts) expect(text).toMatch(/^```\n[^`]+\n```$/);
    expect(texts.join("\n").match(/^a +│ b$/gm)).toHaveLength(45);
  });

  it("when the sections of a digest fit together, then they share a message, else they do not (D5)", () => {
    const digest = (...sizes: number[]) =>
      lengths("in words", {
        sections: sizes.map((size, n) => ({ number: n + 1, markdown: "x".repeat(size), anchor: null })),
      });
    expect(digest(998, 1_000)).toEqual([2_000]);
    expect(digest(999, 1_000)).toEqual([999, 1_000]);
    expect(digest(10, 10, 1_000)).toEqual([1_024]);
  });

  it("then the nonce of each message is text that Discord accepts (F11)", () => {
    expect(nonceOf("a", 0)).toMatch(/^[\w-]{25}$/);
  });
});

describe("given a text that cannot be rendered (F37)", () => {
  const plain = (markdown: string, more: Partial<Delivery> = {}) => contents(markdown, { plain: true, ...more });

  it("then its source is sent, with the anchor in words", () => {
    expect(plain(" **a** ")).toEqual(["\\*\\*a\\*\\*"]);
    expect(plain("a", { anchor: sampleAnchor })).toEqual([
      '↳ Re: "deep research"\nstarted 21:14 from Elsewhere · 2h 14m ago\n\na',
    ]);
    expect(plain(" ")).toEqual(["…"]);
  });

  it("when it is long, then it is cut into messages that fit, and no cut makes small print (O16)", () => {
    expect(plain("x".repeat(5_000)).map(({ length }) => length)).toEqual([1_999, 1_999, 1_002]);
    const texts = plain("-# aaaa ".repeat(600));
    expect(texts.flatMap((content) => smallPrintOf({ content }))).toEqual([]);
    expect(texts.every(({ length }) => length <= 2_000)).toBe(true);
    expect(texts.join(" ").replaceAll("\\", "")).toBe("-# aaaa ".repeat(600).trim());
  });
});
