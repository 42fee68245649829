import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeAnchors } from "../../../../adapters/contract/markdown/escape-anchors.ts";
import { anchorFor } from "../../../../core/origin/anchor.ts";

describe("given text that imitates an anchor (O16, F25)", () => {
  it.each([
    ['look\n↳ Re: "x"\nstarted 21:14 from Slack · 2h 14m ago', 'look\n→ Re: "x"\nstarted 21:14 from Slack, 2h 14m ago'],
    ["**⤷** Re: x", "**→** Re: x"],
    ["&#8627; Re: x, &#x21B3; Re: y", "→ Re: x, → Re: y"],
    [
      "> _started_ 10 Mar, 21:14 from **Slack** &middot; yesterday",
      "> _started_ 10 Mar, 21:14 from **Slack**, yesterday",
    ],
    ["STARTED 21:14 from slack • vor 2 Stunden", "STARTED 21:14 from slack, vor 2 Stunden"],
    ["star\u00ADted 21:14 from\u00A0Slack\u200B · just now", "star\u00ADted 21:14 from\u00A0Slack\u200B, just now"],
    ["scheduled · daily report · 2h ago", "scheduled, daily report, 2h ago"],
    ["- scheduled&nbsp;&#183; daily report", "- scheduled&nbsp;, daily report"],
    ["scout · weather · just now", "scout, weather, just now"],
    ["scheduled   · daily report", "scheduled  , daily report"],
    ["• scout · weather · just now", "• scout, weather, just now"],
    ["scout · weather · 3 Mar 2026", "scout, weather, 3 Mar 2026"],
    ["started  from  · 2h ago", "started  from , 2h ago"],
    ["s&#116;arted 21:14 fr&#x6F;m &#83;&#108;ack · 2h ago", "s&#116;arted 21:14 fr&#x6F;m &#83;&#108;ack, 2h ago"],
    ["started &#50;&#49; from &#83;&#76; · 2h ago", "started &#50;&#49; from &#83;&#76;, 2h ago"],
    ["star&shy;ted&#8203; 21:14&nbsp;from Slack · now", "star&shy;ted&#8203; 21:14&nbsp;from Slack, now"],
    ["sche&ZeroWidthSpace;duled · daily report", "sche&ZeroWidthSpace;duled, daily report"],
    ["&#60;started&#62; 21:14 from Slack · now", "&#60;started&#62; 21:14 from Slack, now"],
    ["scout · weather · &#106;&#117;", "scout, weather, &#106;&#117;"],
    ["&rdca; x &rarrhk; y &hookrightarrow; z", "→ x → y → z"],
    ["started 21:14 from Slack &sdot; now", "started 21:14 from Slack, now"],
    ["started 21:14 from Slack \u0387 now", "started 21:14 from Slack, now"],
    ["🄐 scheduled · daily report", "🄐 scheduled, daily report"],
    ["＜started 21:14 from Slack · now＞", "＜started 21:14 from Slack, now＞"],
  ])("when it is %j, then it becomes %j", (text, inert) => {
    expect(escapeAnchors(text)).toBe(inert);
  });

  it.each([
    "We started late · sorry",
    "Yes · no",
    "2 · 3 · 4 = 24",
    "a &amp; b &lt;x&gt; &#65; &copy;",
    "• one\n• two",
    "• one · two",
    "The train started at 9 from Berlin.",
    "started with fromage · and wine",
  ])("when it is %j, then it is unchanged", (text) => {
    expect(escapeAnchors(text)).toBe(text);
  });
});

const sign = fc.constantFrom("↳", "⤷", "&#8627;", "&#x0021b3;", "&rdsh;", " Re: ", "·", "&middot;", "&#183;", " · ");
const word = fc.constantFrom(
  "started ",
  "scheduled",
  " from ",
  "2h ago",
  "just now",
  "Slack",
  "\n",
  "*",
  "\u200b",
  "<b>",
  "s&#116;arted ",
  "&#115;che&#173;duled",
  " fr&#x6F;m ",
  "&#83;&#108;",
  "&shy;",
);
const hostile = fc
  .array(fc.oneof(sign, word, fc.string({ unit: "grapheme", maxLength: 4 })), { maxLength: 30 })
  .map((pieces) => pieces.join(""));

/** The text as shown by a platform that decodes references and ignores invisible characters. */
const seen = (text: string): string =>
  text
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&#x([0-9a-f]+);/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll("&middot;", "·")
    .replaceAll("&rdsh;", "↳")
    .replace(/[\u200b\u00ad*]|&shy;|<b>/g, "");

describe("given arbitrary text (O16)", () => {
  it("when it was escaped, then no line reads like an anchor, it is not longer, and escaping again changes nothing", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const inert = escapeAnchors(text);
        expect(seen(inert)).not.toContain("↳");
        expect(seen(inert)).not.toMatch(/^[^\p{L}\p{N}]*(?:started [^\n]{1,80} from [^\n]{1,80}|scheduled) ?·/imu);
        expect(inert.length).toBeLessThanOrEqual(text.length);
        expect(escapeAnchors(inert)).toBe(inert);
      }),
      { seed: 16, numRuns: 2_000 },
    );
  });

  it("when it is a real anchor's text, in any language, then it is recognised", () => {
    const start = Date.parse("2026-03-10T21:14:00Z");
    const channels = fc.constantFrom("slack", "web-b", "scheduled", "a2a-inbound");
    const locales = fc.constantFrom("en-GB", "de-DE", "fr", "ja-JP", "ar-EG", "he", "en-US");
    fc.assert(
      fc.property(channels, locales, fc.integer({ min: 0, max: 40 * 86_400_000 }), (channel, locale, laterMs) => {
        const origin = {
          channel,
          promptSummary: "scout · tides",
          startedAt: "2026-03-10T21:14:00.000Z",
          sessionId: null,
        };
        const viewing = { channel: "web", sessionId: "s-1", locale };
        const text = anchorFor(origin, viewing, start + laterMs)?.text ?? "";
        const [first = "", second = first] = text.split("\n");
        expect(escapeAnchors(first)).not.toBe(first);
        expect(escapeAnchors(second)).not.toBe(second);
      }),
      { seed: 17, numRuns: 300 },
    );
  });

  it.each(["·", "started ", "a · ", "&#", "<", "started x from ", "*"])(
    "when %j is repeated very often, then it takes less than the time limit",
    (piece) => {
      expect(escapeAnchors(`· ${piece.repeat(200_000 / piece.length)}`).length).toBeGreaterThan(100_000);
    },
  );
});
