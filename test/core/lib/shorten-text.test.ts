import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutToBytes, summarisePrompt } from "../../../core/lib/shorten-text.ts";

const graphemesOf = (text: string) => [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)].length;
/** Builds secrets at run time, so that secret scanners do not report this file. */
const run = (length: number) => "aB3dE6gH9j".repeat(20).slice(0, length);

describe("given a prompt with a secret in it (O4)", () => {
  it.each([
    ["a Slack token", `xoxb-${run(24)}`],
    ["a Slack app token", `xapp-1-${run(24)}`],
    ["an API key", `sk-${run(40)}`],
    ["a GitHub token", `ghp_${run(36)}`],
    ["a GitHub fine-grained token", `github_pat_${run(60)}`],
    ["an AWS key", `AKIA${"ABCDEFGH12345678"}`],
    ["a JWT", `eyJ${run(20)}.eyJ${run(20)}.${run(30)}`],
    ["a Telegram token", `7012345678:AA${run(33)}`],
    ["a Discord token", `M${run(25)}.${run(6)}.${run(38)}`],
    ["a bearer token", `Bearer ${run(30)}`],
  ])("when it is %s, then no part of it is in the summary", (_name, secret) => {
    const summary = summarisePrompt(`use ${secret} ok`);
    expect(summary).toMatch(/^use (Bearer )?••• ok$/);
  });

  it.each([
    ["password=hunter2 and go", "password=••• and go"],
    ["login with password: hunter2", "login with password: •••"],
    ['client_secret="a b c" there', "client_secret=••• there"],
    ["connect postgres://bob:hunter2@db.example/x", "connect postgres://•••@db.example/x"],
    ["connect postgres://bob:hun@ter2@db.example/x", "connect postgres://•••@db.example/x"],
    ["clone bob:hunter2@git.example", "clone •••@git.example"],
    [`-----BEGIN PRIVATE KEY-----\n${run(64)}\n-----END PRIVATE KEY----- what is it`, "••• what is it"],
    [`-----BEGIN RSA PRIVATE KEY-----\n${run(64)}`, "•••"],
    [`sk-${run(8)}\u200b${run(20)}`, "•••"],
    [`**sk-${run(8)}**`, `sk-${run(8)}`],
  ])("when the text is %j, then it reads %j", (text, summary) => {
    expect(summarisePrompt(text)).toBe(summary);
  });

  it("when a secret is at any position of a text, then the summary never contains it", () => {
    const secret = `xoxb-${run(30)}`;
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.string({ maxLength: 60 }), (before, after) => {
        expect(summarisePrompt(`${before} ${secret} ${after}`)).not.toContain(run(20));
      }),
      { seed: 7 },
    );
  });
});

describe("given mark-up and mentions (O4)", () => {
  it.each([
    ["<@U123ABC> deep *research* 8 _historical_ topics", "deep research 8 historical topics"],
    ["<@!42> <@&43> <#C1|general> <!here> go <t:1700000000:R>", "go"],
    ["<at>Mooring</at> summarise this", "summarise this"],
    ["@everyone look, mail bob@everyone.example", "look, mail bob@everyone.example"],
    ["see <https://x.example/a|the page> and <https://y.example>", "see the page and https://y.example"],
    ["**bold** __under__ ~~gone~~ ||spoiler|| ***both***", "bold under gone spoiler both"],
    ["rename snake_case_name to _other_name_ in 2*3*4", "rename snake_case_name to other_name in 2*3*4"],
    ["2 * 3 * 4 and a_b * c_d", "2 * 3 * 4 and a_b * c_d"],
    ["# Title\n> quoted\n- one\n* two", "Title quoted one two"],
    ["run `npm test` and ```ts\nconst a = 1;\n```", "run npm test and const a = 1;"],
    ["[label](https://x.example) ![alt](https://y.example/z.png)", "label alt"],
    ["<b>fat</b> <br/> but Array<string> and a < b > c stay", "fat but Array<string> and a < b > c stay"],
    ["a\t\tb\r\n\r\n  c\u0000d", "a b c d"],
    ["abc\u202Egnp.exe \u2066x\u2069", "abcgnp.exe x"],
    ["", "(attachment or empty message)"],
    [" \n\u200b ", "(attachment or empty message)"],
    ["<@U1>", "(attachment or empty message)"],
  ])("when the text is %j, then it reads %j", (text, summary) => {
    expect(summarisePrompt(text)).toBe(summary);
  });
});

describe("given a prompt of plain words (O4)", () => {
  it("when it is short, then the fast path returns the same summary as the full one", () => {
    const word = fc.string({ unit: fc.constantFrom(..."aZ9skey"), minLength: 1, maxLength: 20 });
    const piece = fc.tuple(fc.oneof(word, fc.constantFrom("Bearer", "AKIA", "token")), fc.constantFrom("", ".", "?"));
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
        const text = pieces.map((parts) => parts.join("")).join(" ");
        // A trailing space disables the fast path and is trimmed.
        expect(summarisePrompt(text)).toBe(summarisePrompt(`${text} `));
      }),
      { seed: 5, numRuns: 1_000 },
    );
    expect(summarisePrompt("Please note this down.")).toBe("Please note this down.");
    expect(summarisePrompt(`Bearer ${run(15)}.`)).toBe("Bearer •••");
  });
});

describe("given a long prompt (O4)", () => {
  it("when it has more than 80 graphemes, then it is cut at a word with an ellipsis", () => {
    const summary = summarisePrompt("word ".repeat(40));
    expect(summary).toBe(`${"word ".repeat(15)}word…`);
  });

  it("when it has exactly 80 graphemes, then it is not cut", () => {
    expect(summarisePrompt("a".repeat(80))).toBe("a".repeat(80));
    expect(summarisePrompt("a".repeat(81))).toBe(`${"a".repeat(79)}…`);
  });

  it("when graphemes have many code points, then none is cut in half", () => {
    expect(summarisePrompt("👨‍👩‍👧‍👦".repeat(100))).toBe(`${"👨‍👩‍👧‍👦".repeat(79)}…`);
  });

  it("when the text is arbitrary, then the summary is one short, non-empty, well-formed line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
        const summary = summarisePrompt(text);
        expect(summary).not.toBe("");
        expect(graphemesOf(summary)).toBeLessThanOrEqual(80);
        expect(summary).not.toMatch(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u);
        expect(summary).toBe(summary.trim());
      }),
      { seed: 11, numRuns: 500 },
    );
  });

  it.each(["a.", "[", "<@", "*a ", "eyJ-", "_", "`", "password", "\u0301", "> ", "a:b"])(
    "when %j is repeated half a million times, then it is summarised within the timeout of the test",
    (piece) => {
      expect(graphemesOf(summarisePrompt(piece.repeat(500_000 / piece.length)))).toBeLessThanOrEqual(80);
    },
  );
});

describe("given a text for a store with a limit in bytes", () => {
  const stored = (text: string) => Buffer.byteLength(JSON.stringify(text));

  it("when it fits, then it stays as it is", () => {
    expect(cutToBytes("tides", 1_000)).toBe("tides");
    expect(cutToBytes("x".repeat(198), 200)).toBe("x".repeat(198));
    expect(cutToBytes("\u0001".repeat(33), 200)).toBe("\u0001".repeat(33));
  });

  it("when it does not fit, then its beginning stays, with a note of its size", () => {
    const cut = cutToBytes("x".repeat(5_001), 1_000);
    expect(cut).toMatch(/^x+\n\[cut: 6 kB, only the beginning is shown\]$/);
    expect(stored(cut)).toBeLessThanOrEqual(1_000);
    expect(stored(cut)).toBeGreaterThan(800);
    expect(cutToBytes("x".repeat(199), 200)).toMatch(/^x{100,}\n\[cut: 1 kB, /);
  });

  it.each(["港", "\u0001", '"', "🙂"])("when it is only %j, then it fits too, and no character is halved", (unit) => {
    for (const max of [200, 201, 202, 203]) {
      const cut = cutToBytes(unit.repeat(500), max);
      expect(stored(cut)).toBeLessThanOrEqual(max);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut.replaceAll(unit, "")).toMatch(/^\n\[cut: \d kB, only the beginning is shown\]$/);
      expect(cut.startsWith(unit.repeat(3))).toBe(true);
    }
  });
});
