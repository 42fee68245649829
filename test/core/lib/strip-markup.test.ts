import { describe, expect, it } from "vitest";
import { settleSummary } from "../../../core/intake/prompt-summary.ts";
import { cutAtGraphemes, summarisePrompt } from "../../../core/lib/shorten-text.ts";
import { stripMarkup } from "../../../core/lib/strip-markup.ts";
import { captureOrigin } from "../../../core/origin/capture.ts";
import { MemoryStore } from "../../adapters/web/memory-store.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { sampleMessage } from "../../fakes/sample-message.ts";

describe("given a prompt with mark-up, when the mark-up is removed, then the text stays (O4)", () => {
  it.each([
    [
      "links in brackets",
      "see <http://a.example/x> and <https://b.example>",
      "see http://a.example/x and https://b.example",
    ],
    ["addresses in brackets", "write to <mailto:a@b.example>", "write to mailto:a@b.example"],
    ["links with a title", '[tides](https://a.example "the tides") now', "tides now"],
    ["links with an empty title", '[tides](https://a.example "") now', "tides now"],
    ["images", "![chart](https://a.example/c.png) here", "chart here"],
    ["quotes of quotes", ">>> high\n> > low\n  >mid", "high\nlow\nmid"],
    ["signs that do not start a quote", "a>b and x > y", "a>b and x > y"],
    ["headings of any depth", "# one\n### three\n  ###### six", "one\nthree\nsix"],
    ["lists and small print", "-   one\n* two\n+ three\n-# small", "one\ntwo\nthree\nsmall"],
    ["code of one and two ticks", "`one` and ``two``", "one and two"],
    ["bold in italics", "_**both**_ and *__both__*", "both and both"],
    ["escaped signs", "2 \\* 3 \\_ 4 \\\\ and c:\\dir", "2 * 3 _ 4 \\ and c:\\dir"],
  ])("%s", (_, text, words) => {
    expect(stripMarkup(text)).toBe(words);
  });

  it("when a rule or a mention is between words, then the words stay separate", () => {
    expect(stripMarkup("one<@U1>two")).toBe("one two");
    expect(stripMarkup("one\n---\ntwo")).toBe("one\n \ntwo");
    expect(stripMarkup("---- dashes before words")).toBe("---- dashes before words");
  });
});

describe("given a prompt that is longer than a summary reads (O4)", () => {
  const first = (text: string) => summarisePrompt(text);

  it("then the summary uses the first 4,000 characters, and no word or secret is cut in two", () => {
    const blank = " ".repeat(3_970);
    expect(first(`${blank} tides sk-${"a".repeat(40)}`)).toBe("tides");
    expect(first(`${" ".repeat(3_995)}tides`)).toBe("tides");
    expect(first(`${" ".repeat(3_990)}tides moonlight`)).toBe("tides");
    expect(first("x".repeat(5_000))).toBe(`${"x".repeat(79)}…`);
  });
});

describe("given a text that is cut (O4)", () => {
  it.each([
    ["aaaa bbbb", 9, "aaaa bbbb"],
    ["aaaa bbbb", 8, "aaaa…"],
    ["aaaa bbbb", 6, "aaaa…"],
    ["aaaa bbbb", 5, "aaaa…"],
    ["aa bbbbbbbb", 7, "aa bbb…"],
    ["aaa bbbbbbbb", 7, "aaa bb…"],
    ["👍🏽👍🏽👍🏽", 3, "👍🏽👍🏽👍🏽"],
    ["👍🏽👍🏽👍🏽👍🏽", 3, "👍🏽👍🏽…"],
    ["  aaaa bbbbbb", 8, "  aaaa…"],
    ["aaaa   bbbb", 8, "aaaa…"],
  ])("%j to %i graphemes: %j", (text, max, cut) => {
    expect(cutAtGraphemes(text, max)).toBe(cut);
  });
});

describe("given a message that begins a piece of work (O2)", () => {
  it("when the platform reports a permalink and a message id, then its origin has them", () => {
    const message = sampleMessage({ text: "compare tides" });
    const plain = { channel: "web", promptSummary: "compare tides", startedAt: message.sentAt, sessionId: "s" };
    expect(captureOrigin(message, "s")).toStrictEqual(plain);
    const shown = { link: "https://chat.example/m/1", messageId: "p-1" };
    expect(captureOrigin({ ...message, ...shown }, "s")).toStrictEqual({ ...plain, ...shown });
  });
});

describe("given the summary of a prompt (O4)", () => {
  it("when the store fails, then the error is not mistaken for a summary that was decided before", async () => {
    const store = new MemoryStore(new ManualClock());
    store.before = (operation) => {
      if (operation === "put") throw new Error("disk full");
    };
    await expect(settleSummary(store, { tenant: "default", name: "mooring" }, "t", "line")).rejects.toThrow(
      "disk full",
    );
  });
});

describe("given mark-up between two words without a space (O4)", () => {
  it("then the words do not run together, and a labelled link leaves its label", () => {
    expect(stripMarkup("one<br>two")).toBe("one two");
    expect(stripMarkup("one```js\ntwo")).toBe("one two");
    expect(stripMarkup("see <http://a.example/x|the tides> now")).toBe("see the tides now");
  });
});
