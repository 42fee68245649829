import { describe, expect, it } from "vitest";
import { MAX_SECTION, plainSections, sectionsOf } from "../../../adapters/slack/mrkdwn.ts";

const FENCED = /^```\n[^`]+\n```$/;

describe("given markdown with links and empty marks", () => {
  it.each([
    ["a link without encryption", "[x](http://a.example/)", "<http://a.example/|x>"],
    ["a link without a label", "[](https://a.example)", "<https://a.example>"],
    ["a space in an address", "[x](<https://a.example/b c>)", "<https://a.example/b%20c|x>"],
    ["an address that hides code", "[x](javascript:'https://')", "x (javascript:'https://')"],
    ["a file without a label", "[](notes.md)", "notes.md"],
    ["bold white space", "a **&#32;** b", "a   b"],
  ])("when there is %s, then it is written for Slack", (_, markdown, mrkdwn) => {
    expect(sectionsOf(markdown)).toEqual([mrkdwn]);
  });
});

describe("given a table", () => {
  const table = (rows: string[], header = "| a | b |") => [header, "|--|--|", ...rows].join("\n");
  const shown = (markdown: string) => sectionsOf(markdown).join("\n");

  it("when it fits the width of a screen, then it is aligned; one column more and it is a list", () => {
    const withHeader = (width: number) => shown(table(["| 1 | 2 |"], `| ${"h".repeat(width)} | b |`));
    expect(withHeader(85)).toMatch(FENCED);
    expect(withHeader(86)).toBe(`${"h".repeat(86)}: 1\nb: 2`);
  });

  it("when it has many short rows, then it is still aligned", () => {
    expect(shown(table(Array(100).fill("| 1 | 2 |")))).toBe(
      `\`\`\`\na  b\n─  ─\n${Array(100).fill("1  2").join("\n")}\n\`\`\``,
    );
  });

  it("when a wide table has an empty cell or header, then the list has no separator there", () => {
    const wide = "w".repeat(90);
    expect(shown(table([`| ${wide} |  |`], "|  | About |"))).toBe(`${wide}\nAbout`);
  });

  it("when cells have links or pictures, then web addresses are shown once, and others not at all", () => {
    const cell = (markdown: string) =>
      shown(table([`| ${markdown} | 2 |`]))
        .split("\n")[3]
        ?.replace(/\s+2$/, "");
    expect(cell("https://y.example")).toBe("https://y.example");
    expect(cell("[x](http://y.example)")).toBe("x (http://y.example)");
    expect(cell("[x](javascript:'https:')")).toBe("x");
    expect(cell("![](https://z.example/p)")).toBe("https://z.example/p");
    expect(cell("a **b** c")).toBe("a b c");
  });

  it("when it is longer than a section, then each section has aligned rows in its own fence", () => {
    const sections = sectionsOf(table(Array.from({ length: 200 }, (_, n) => `| row ${n} | some words |`)));
    expect(sections.length).toBeGreaterThan(1);
    for (const section of sections) expect(section).toMatch(FENCED);
    expect(sections.join("\n").match(/^row \d+ +some words$/gm)).toHaveLength(200);
  });

  it("when it is too wide and longer than a section, then no part of its lists is lost", () => {
    const wide = "w".repeat(90);
    const sections = sectionsOf(table(Array(40).fill(`| ${wide} | 2 |`), "| Name | About |"));
    expect(sections.length).toBeGreaterThan(1);
    expect(sections.join("").match(/w/g)).toHaveLength(40 * 90);
    expect(sections[0]).toMatch(/^Name: w+\nAbout: 2\n/);
  });

  it("when aligning would make a table in a list many times larger, then its cells are shown as they are", () => {
    const large = table(Array(250).fill("| 1 | 2 |"), `| ${"h".repeat(80)} | b |`);
    const text = shown(`- x\n\n${large.replace(/^/gm, "  ")}`);
    expect(text).toContain(`${"h".repeat(80)} | b\n`);
    expect(text.match(/1 \| 2\n/g)).toHaveLength(250);
  });
});

describe("given a text longer than a section (D7)", () => {
  it("when it is exactly as long as a section, then it is one", () => {
    expect(sectionsOf("x".repeat(MAX_SECTION))).toEqual(["x".repeat(MAX_SECTION)]);
  });

  it("when a long block follows a short one, then the short one is not repeated", () => {
    const text = sectionsOf(`intro\n\n${"word ".repeat(1_000)}`).join(" ");
    expect(text.match(/intro/g)).toHaveLength(1);
    expect(text.match(/word/g)).toHaveLength(1_000);
  });

  it("when it begins with backticks but is not code, then none of it is lost", () => {
    const text = sectionsOf(`\\\`\\\`\\\` ${"word ".repeat(1_000)}`).join(" ");
    expect(text.startsWith("``` word")).toBe(true);
    expect(text.match(/word/g)).toHaveLength(1_000);
  });

  it("when a short source refers to a long address, then all of the address is shown", () => {
    const text = sectionsOf(`[x][1]\n\n[1]: https://a.example/${"q".repeat(3_100)}`).join("");
    expect(text.match(/q/g)).toHaveLength(3_100);
  });

  it("when code has very long lines, then each section is full and within the limit, and all of it is there", () => {
    const sections = sectionsOf(`\`\`\`\n\n${"x".repeat(7_000)}\n\`\`\``);
    expect(sections.map(({ length }) => length)).toEqual([MAX_SECTION, MAX_SECTION, expect.any(Number)]);
    for (const section of sections) expect(section).toMatch(FENCED);
    expect(sections.join("").match(/x/g)).toHaveLength(7_000);
  });

  it.each([0, 1, 2, 3])(
    "when a cut falls %i letters into an escaped sign, then it moves before the sign",
    (letters) => {
      const before = "x".repeat(MAX_SECTION - 1 - letters);
      expect(plainSections(`${before}& y`)).toEqual([before, "&amp; y"]);
    },
  );

  it("when a semicolon follows the cut, then it is not taken for the end of an escaped sign", () => {
    const before = `a&amp;${"x".repeat(MAX_SECTION - 6)}`;
    expect(plainSections(`a&${"x".repeat(MAX_SECTION - 6)};y`)).toEqual([before, ";y"]);
  });
});
