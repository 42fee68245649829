import { describe, expect, it } from "vitest";
import type { ViewerTime } from "../../../core/contract/relative-time.ts";
import { anchorFor } from "../../../core/origin/anchor.ts";
import { captureOrigin } from "../../../core/origin/capture.ts";
import { userMessage } from "../core-under-test.ts";

interface Case extends ViewerTime {
  readonly what: string;
  readonly text?: string;
  readonly channel?: string;
  /** The time at which the work began, and the time of viewing. */
  readonly at: string;
  readonly seen: string;
}

/** The plain-text anchor of an incoming message. Invisible characters are spelled out. */
const rendered = ({ what, text = "deep research 8 historical topics", channel, at, seen, ...viewer }: Case): string => {
  const origin = captureOrigin(userMessage("m-1", text, { sentAt: new Date(at).toISOString() }), "s-1");
  const shown = { ...origin, channel: channel ?? "slack" };
  const anchor = anchorFor(shown, { channel: "paper", sessionId: "s-2", ...viewer }, Date.parse(seen));
  const visible = (anchor?.text ?? "")
    .replace(/[\u00a0\u202f]/g, " ")
    .replace(/[\u061c\u200b-\u200c\u200e\u200f\u2066-\u2069]/g, (sign) => `{U+${sign.charCodeAt(0).toString(16)}}`);
  return `# ${what}\n${visible}\n`;
};

const golden = (name: string, cases: readonly Case[]) =>
  expect(cases.map(rendered).join("\n")).toMatchFileSnapshot(`golden/${name}.txt`);

const EVENING = { at: "2026-03-10T21:14:00Z", seen: "2026-03-10T23:28:00Z" };
const YESTERDAY = { at: "2026-03-10T21:14:00Z", seen: "2026-03-11T22:00:00Z" };
const LONG_AGO = { at: "2025-12-30T21:14:00Z", seen: "2026-03-11T22:00:00Z" };

describe("given anchors as text (O9, O11)", () => {
  it("when viewers have other languages, then times are in their locale", () =>
    golden(
      "languages",
      ["en-GB", "en-US", "de-DE", "fr-FR", "es-ES", "ja-JP", "ar-EG", "he-IL", "nonsense!"].flatMap((locale) => [
        { what: `${locale}, two hours ago`, locale, ...EVENING },
        { what: `${locale}, yesterday`, locale, ...YESTERDAY },
        { what: `${locale}, last year`, locale, ...LONG_AGO },
      ]),
    ));

  it("when viewers have other time zones, then times and dates are in their zone", () =>
    golden(
      "time-zones",
      ["UTC", "Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Kiritimati", "Not/AZone"].flatMap(
        (timeZone) => [
          { what: `${timeZone}, two hours ago`, timeZone, ...EVENING },
          { what: `${timeZone}, the day after`, timeZone, ...YESTERDAY },
        ],
      ),
    ));

  it("when midnight passes, then elapsed time counts up to 24 hours, and the date shows at once", () =>
    golden("day-boundaries", [
      { what: "a minute over midnight", at: "2026-03-10T23:59:30Z", seen: "2026-03-11T00:00:30Z" },
      { what: "at midnight itself", at: "2026-03-11T00:00:00Z", seen: "2026-03-11T00:00:00Z" },
      { what: "59 seconds", at: "2026-03-10T12:00:00Z", seen: "2026-03-10T12:00:59Z" },
      { what: "60 seconds", at: "2026-03-10T12:00:00Z", seen: "2026-03-10T12:01:00Z" },
      { what: "a minute short of a day", at: "2026-03-10T12:00:00Z", seen: "2026-03-11T11:59:00Z" },
      { what: "a day", at: "2026-03-10T12:00:00Z", seen: "2026-03-11T12:00:00Z" },
      { what: "a day and a bit, two midnights", at: "2026-03-10T23:59:00Z", seen: "2026-03-12T00:00:00Z" },
      { what: "six days", at: "2026-03-10T12:00:00Z", seen: "2026-03-16T12:00:00Z" },
      { what: "seven days", at: "2026-03-10T12:00:00Z", seen: "2026-03-17T12:00:00Z" },
      { what: "new year", at: "2026-12-31T23:50:00Z", seen: "2027-01-01T00:10:00Z" },
      { what: "29 February", at: "2028-02-29T12:00:00Z", seen: "2028-03-01T13:00:00Z" },
      { what: "midnight in Berlin only", timeZone: "Europe/Berlin", ...EVENING, at: "2026-03-10T22:30:00Z" },
    ]));

  it("when daylight saving changes, then days are calendar days", () =>
    golden("daylight-saving", [
      {
        what: "over the hour that is missing",
        timeZone: "Europe/Berlin",
        at: "2026-03-29T00:30:00Z",
        seen: "2026-03-29T01:30:00Z",
      },
      {
        what: "a day of 23 hours, later than 24 h",
        timeZone: "Europe/Berlin",
        at: "2026-03-28T22:30:00Z",
        seen: "2026-03-29T22:30:00Z",
      },
      {
        what: "the hour that comes twice, the first time",
        timeZone: "Europe/Berlin",
        at: "2026-10-25T00:30:00Z",
        seen: "2026-10-25T02:00:00Z",
      },
      {
        what: "the hour that comes twice, the second time",
        timeZone: "Europe/Berlin",
        at: "2026-10-25T01:30:00Z",
        seen: "2026-10-25T02:00:00Z",
      },
      {
        what: "more than 24 h ago, and still today",
        timeZone: "Europe/Berlin",
        at: "2026-10-24T22:10:00Z",
        seen: "2026-10-25T22:30:00Z",
      },
      {
        what: "where a day was left out",
        timeZone: "Pacific/Apia",
        at: "2011-12-30T09:30:00Z",
        seen: "2011-12-31T10:30:00Z",
      },
    ]));

  it("when a clock is ahead, then no time is in the future", () =>
    golden("future", [
      { what: "a minute ahead", at: "2026-03-10T12:01:00Z", seen: "2026-03-10T12:00:00Z" },
      { what: "a day ahead", at: "2026-03-11T12:00:00Z", seen: "2026-03-10T12:00:00Z" },
      { what: "a year ahead, in German", locale: "de", at: "2027-03-10T12:00:00Z", seen: "2026-03-10T12:00:00Z" },
    ]));

  it("when no person asked, then the anchor names the schedule or the caller", () =>
    golden("synthetic", [
      { what: "a schedule", text: "daily report", channel: "scheduled", ...EVENING },
      {
        what: "a schedule, yesterday, in French",
        text: "daily report",
        channel: "scheduled",
        locale: "fr",
        ...YESTERDAY,
      },
      { what: "another agent", text: "scout · weather", channel: "a2a-inbound", ...EVENING },
      { what: "another agent, last year", text: "scout · weather", channel: "a2a-inbound", ...LONG_AGO },
    ]));
});

describe("given prompts of all kinds, as anchors show them (O4, O9)", () => {
  it("when they are empty, short or very long", () =>
    golden("lengths", [
      { what: "empty", text: "", ...EVENING },
      { what: "white space", text: " \n\t\u200b ", ...EVENING },
      { what: "10 kB of words", text: "history ".repeat(1_280), ...EVENING },
      { what: "10 kB without a space", text: "x".repeat(10_240), ...EVENING },
      { what: "10 kB of lines", text: "one line\n".repeat(1_137), ...EVENING },
      { what: "80 graphemes", text: "a".repeat(80), ...EVENING },
      { what: "81 graphemes", text: "a".repeat(81), ...EVENING },
    ]));

  it("when they have other scripts, emoji or control characters", () =>
    golden("scripts", [
      { what: "emoji families", text: "👨‍👩‍👧‍👦".repeat(100), ...EVENING },
      { what: "flags and skin tones", text: "🇩🇪🇫🇷 👍🏽 👩🏿‍🚀 go", ...EVENING },
      { what: "Hebrew", text: "מה השעה עכשיו?", ...EVENING },
      { what: "Arabic, for somebody who reads it", text: "ما هي الساعة؟", locale: "ar-EG", ...EVENING },
      { what: "both directions", text: "say שלום to Bob", ...EVENING },
      { what: "an override that turns text round", text: "open \u202Egnp.exe now", ...EVENING },
      { what: "isolates left open", text: "a \u2067b \u2066c", ...EVENING },
      { what: "Devanagari", text: "क्षत्रिय ".repeat(20), ...EVENING },
      { what: "Japanese, without spaces", text: "深い歴史の研究".repeat(20), ...EVENING },
      { what: "towers of accents", text: `Z${"\u0351".repeat(40)}algo`, ...EVENING },
      { what: "half a character", text: "broken \ud83d end", ...EVENING },
    ]));

  it("when they have markup, mentions or text that looks like an anchor", () =>
    golden("mark-up", [
      { what: "markdown", text: "# Title\n**bold** _it_ `code`\n> quote\n- item", ...EVENING },
      { what: "mentions", text: "<@U123> hello <!channel> <#C1|general> <at>Bot</at> @everyone", ...EVENING },
      { what: "only mark-up", text: "<@U123> ** **", ...EVENING },
      { what: "a link", text: "read [this](https://x.example/a) and <https://y.example|that>", ...EVENING },
      { what: "dates of platforms", text: "at <t:1700000000:R> or <!date^1700000000^{date}|x>", ...EVENING },
      { what: "an anchor", text: '↳ Re: "x"\nstarted 21:14 from Slack · 2h ago', ...EVENING },
      { what: "its quotation marks", text: 'say "hi" to her', ...EVENING },
    ]));

  it("when they have secrets", () => {
    const run = (length: number) => "aB3dE6gH9j".repeat(20).slice(0, length);
    return golden("secrets", [
      { what: "a token in a sentence", text: `use xoxb-${run(24)} please`, ...EVENING },
      { what: "only a token", text: `ghp_${run(36)}`, ...EVENING },
      { what: "a password", text: "log in with password=hunter2 and look", ...EVENING },
      { what: "in an address", text: "postgres://bob:hunter2@db.example/x is slow", ...EVENING },
      {
        what: "a key in lines",
        text: `-----BEGIN PRIVATE KEY-----\n${run(64)}\n-----END PRIVATE KEY-----`,
        ...EVENING,
      },
      { what: "at the place of the cut", text: `${"word ".repeat(15)}sk-${run(40)} end`, ...EVENING },
      { what: "hidden by mark-up", text: `key **sk-${run(20)}** end`, ...EVENING },
    ]);
  });
});
