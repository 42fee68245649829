import { describe, expect, it } from "vitest";
import { mentions, plainText } from "../../../adapters/slack/inbound.ts";
import { MAX_SECTION, plainSections, sectionsOf } from "../../../adapters/slack/mrkdwn.ts";
import { anchorBlock, buttonsBlock, renderPost } from "../../../adapters/slack/render.ts";
import type { Anchor, ReplyAction } from "../../../core/contract/messages/agent-reply.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor, sampleReply } from "../../fakes/sample-reply.ts";

const DM = { channel: "slack", workspace: "T1", room: "D1", kind: "private" } as const;
const WHEN = "<!date^1773176405^{date_short_pretty} at {time}|2026-03-10 21:00 UTC>";

describe("given an anchor, when it is rendered for Slack (O10)", () => {
  const anchor = (more: Partial<Anchor> = {}): Anchor => ({
    summary: "tides & <knots>",
    channel: "discord",
    startedAt: "2026-03-10T21:00:05.000Z",
    text: "in text form",
    ...more,
  });
  const rendered = (more: Partial<Anchor> = {}) => anchorBlock(anchor(more));
  const textOf = (more: Partial<Anchor> = {}) => {
    const [element] = rendered(more).elements;
    return element !== undefined && "text" in element ? element.text : undefined;
  };

  it("then it is a separate block, with the reader's local time and without mentions", () => {
    expect(rendered()).toEqual({
      type: "context",
      elements: [
        { type: "mrkdwn", verbatim: true, text: `↳ Re: "tides &amp; &lt;knots&gt;"\nstarted ${WHEN} from Discord` },
      ],
    });
    expect(textOf({ startedAt: "2026-03-10T21:00:05Z" })).toContain("|2026-03-10 21:00 UTC>");
  });

  it("then it links to the original message, if there is a link", () => {
    expect(textOf({ link: "https://chat.example/1" })).toContain(
      '"<https://chat.example/1|tides &amp; &lt;knots&gt;>"',
    );
  });

  it("when the work began with a schedule or another agent, then it has no channel", () => {
    expect(textOf({ channel: "scheduled" })).toBe(`scheduled · tides &amp; &lt;knots&gt; · ${WHEN}`);
    expect(textOf({ channel: "a2a-inbound" })).toBe(`tides &amp; &lt;knots&gt; · ${WHEN}`);
  });
});

describe("given the actions of a reply, when they are rendered as buttons", () => {
  const buttons = (actions: ReplyAction[] | undefined, part = { index: 0, count: 1, markdown: "x" }) =>
    buttonsBlock({
      ...sampleDelivery("r", DM, "x"),
      reply: sampleReply("r", DM, "x", actions && { actions }),
      part,
    });

  it("then each contains its command and its value", () => {
    expect(
      buttons([
        { name: "cancel", label: "Cancel", value: "subtask-1" },
        { name: "help", label: "" },
      ]),
    ).toStrictEqual([
      {
        type: "actions",
        elements: [
          {
            type: "button",
            action_id: "mooring:cancel:0",
            text: { type: "plain_text", text: "Cancel", emoji: false },
            value: "subtask-1",
          },
          { type: "button", action_id: "mooring:help:1", text: { type: "plain_text", text: "help", emoji: false } },
        ],
      },
    ]);
    expect(buttons([{ name: "x", label: "X", value: "" }])[0]?.elements[0]).not.toHaveProperty("value");
  });

  it("when the reply has no actions, or more parts follow, then there is no block", () => {
    expect(buttons(undefined)).toEqual([]);
    expect(buttons([{ name: "x", label: "X" }], { index: 0, count: 2, markdown: "x" })).toEqual([]);
  });

  it("then they are within Slack's limits: 25 buttons, 75 characters per label, 2,000 per value", () => {
    const many = Array.from({ length: 30 }, (_, n) => ({ name: "x", label: `${n}` }));
    expect(buttons(many)[0]?.elements).toHaveLength(25);
    const values = [2_000, 2_001].map((length) => ({ name: "x", label: `${length}`, value: "v".repeat(length) }));
    expect(buttons(values)[0]?.elements).toMatchObject([{ text: { text: "2000" } }]);
    const labels = ["l".repeat(75), "🙂".repeat(40)].map((label) => ({ name: "x", label }));
    expect(buttons(labels)[0]?.elements).toMatchObject([
      { text: { text: "l".repeat(75) } },
      { text: { text: `${"🙂".repeat(30)}…` } },
    ]);
  });
});

describe("given text from Slack", () => {
  it.each([
    ["<@UBOT> hello <@UBOT|bot>", "hello"],
    ["ask <@U1> and <@U2|bob>", "ask @U1 and @bob"],
    ["in <#C1|harbour> and <#C2> and <#C3|>", "in #harbour and #C2 and #C3"],
    ["<!here> <!subteam^S1|@crew> <!subteam^S2>", "@here @crew @subteam"],
    ["<https://a.example> <https://a.example|tides>", "https://a.example tides (https://a.example)"],
    ["<https://a.example|https://a.example>", "https://a.example"],
    ["<mailto:a@b.example|a@b.example> <mailto:a@b.example>", "a@b.example a@b.example"],
    ["<mailto:a@b.example|Ann>", "Ann (mailto:a@b.example)"],
    ["1 &lt; 2 &gt; 0 &amp;&amp; &amp;lt;", "1 < 2 > 0 && &lt;"],
    ["  half \ud800 ", "half \ufffd"],
  ])("when it is %j, then the agent gets the text that people see", (text, shown) => {
    expect(plainText(text, "UBOT")).toBe(shown);
  });

  it("then a mention is recognised with and without a label, and mentions of other users are not", () => {
    expect(mentions("hi <@UBOT>", "UBOT")).toBe(true);
    expect(mentions("hi <@UBOT|bot>", "UBOT")).toBe(true);
    expect(mentions("hi <@UBOT2> UBOT", "UBOT")).toBe(false);
  });
});

describe("given markdown without an equivalent in mrkdwn", () => {
  const written = (markdown: string) => sectionsOf(markdown).join("\n§\n");

  it.each([
    ["a mark inside itself", "**a *b **c** d* e**", "*a _b c d_ e*"],
    ["emphasis in a heading", "# a *b* **c**", "*a _b_ c*"],
    ["a back-tick in code", "``a`b``", "`aˋb`"],
    ["a hard break", "a  \nb", "a\nb"],
    ["a picture without a description", "![](https://a.example/c.png)", "<https://a.example/c.png|image>"],
    [
      "a picture by reference",
      "![chart][1] ![][1]\n\n[1]: https://a.example/c",
      "<https://a.example/c|chart> <https://a.example/c|image>",
    ],
    ["a footnote", "see[^n]\n\n[^n]: the *tides*", "see[n]\n\n[n] the _tides_"],
    ["a quote with a list", "> a\n>\n> - b\n> - c", "> a\n> • b\n> • c"],
    ["an item of two lines", "- a\n\n  b", "• a\n    b"],
    ["a list from zero", "0. a\n1. b", "0. a\n1. b"],
    ["raw HTML", "<div>\nx & y\n</div>", "&lt;div&gt;\nx &amp; y\n&lt;/div&gt;"],
    [
      "a table with links and pictures",
      "| a | b |\n|--|--|\n| [x](https://y.example) | ![p](https://z.example) |",
      "```\na                      b\n─────────────────────  ─\nx (https://y.example)  p\n```",
    ],
    [
      "a table in a list",
      "- x\n\n  | a | b |\n  |--|--|\n  | 1 | 2 |",
      "• x\n    ```\n    a  b\n    ─  ─\n    1  2\n    ```",
    ],
  ])("when it has %s, then it is rendered for Slack", (_, markdown, mrkdwn) => {
    expect(written(markdown)).toBe(mrkdwn);
  });
});

describe("given text that is longer than a section", () => {
  it("when it is plain, then it is cut between lines or characters, never inside an escaped character", () => {
    const line = "x".repeat(2_000);
    expect(plainSections(`${line}\n${line}`)).toEqual([line, line]);
    expect(plainSections("x".repeat(3_001))).toEqual(["x".repeat(3_000), "x"]);
    expect(plainSections("x".repeat(MAX_SECTION))).toHaveLength(1);
    expect(plainSections(`${"x".repeat(2_998)}& y`)).toEqual(["x".repeat(2_998), "&amp; y"]);
    expect(plainSections("  ")).toEqual(["…"]);
    expect(plainSections(" a < b ")).toEqual(["a &lt; b"]);
  });

  it("then it is split into as few sections as possible", () => {
    const paragraph = "word ".repeat(290).trim();
    expect(sectionsOf(`${paragraph}\n\n${paragraph}`)).toEqual([`${paragraph}\n\n${paragraph}`]);
    expect(sectionsOf(`${paragraph}\n\n${paragraph}\n\n${paragraph}`)).toHaveLength(2);
    const [first, second] = sectionsOf(`${"a".repeat(1_499)}\n\n${"b".repeat(1_499)}`);
    expect([first?.length, second]).toEqual([3_000, undefined]);
    expect(sectionsOf(`${"a".repeat(1_500)}\n\n${"b".repeat(1_499)}`)).toHaveLength(2);
  });

  it("when bold text is cut, then both halves are bold", () => {
    const sections = sectionsOf(Array.from({ length: 60 }, () => `**${"w".repeat(60)}**`).join(" "));
    expect(sections.length).toBeGreaterThan(1);
    for (const section of sections) expect(section).toMatch(/^\*w+\*( \*w+\*)*$/);
  });
});

describe("given a reply, when it is rendered as a post", () => {
  const delivery = (more = {}) => ({ ...sampleDelivery("r", DM, "**words**"), ...more });

  it("then notifications show its anchor and its text, and no text becomes a mention", () => {
    expect(renderPost(delivery({ anchor: sampleAnchor }))).toMatchObject({
      text: `${sampleAnchor.text.replaceAll(">", "&gt;")}\n\n*words*`,
      blocks: [
        { type: "context" },
        { type: "section", text: { type: "mrkdwn", text: "*words*", verbatim: true }, expand: true },
      ],
      attachments: [],
      parse: "none",
      link_names: false,
    });
    expect(renderPost(delivery()).text).toBe("*words*");
    const long = `${"a".repeat(2_000)}\n\n${"b".repeat(2_000)}`;
    expect(renderPost(delivery({ part: { index: 0, count: 1, markdown: long } })).text).toBe(`${"a".repeat(2_000)} …`);
  });

  it("when it cannot be rendered, then the post has its source text, with the anchor in text form", () => {
    const post = renderPost(delivery({ plain: true, anchor: { ...sampleAnchor, text: "a > b" } }));
    expect(post.blocks).toMatchObject([{ text: { text: "a &gt; b" } }, { text: { text: "**words**" } }]);
    expect(renderPost(delivery({ plain: true })).blocks).toHaveLength(1);
  });
});
