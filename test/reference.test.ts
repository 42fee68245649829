import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commands } from "../core/commands/commands.ts";
import { builtInTools } from "./fakes/built-in-tools.ts";
import { configurationPage } from "./reference/configuration-page.ts";
import { metricsPage } from "./reference/metrics-page.ts";
import { referencePages } from "./reference/reference-pages.ts";
import { projectFiles, projectRoot } from "./setup/project-files.ts";

const read = (file: string) => readFileSync(`${projectRoot}${file}`, "utf8");

describe("given the reference pages", () => {
  it.each(Object.entries(referencePages()))("then %s is what npm run reference writes", (path, text) => {
    expect(read(path)).toBe(text);
  });

  it("then the page of the configuration describes every key", () => {
    const rows = read("docs/reference/configuration.md").match(/^\| `.*$/gm) ?? [];
    expect(rows.length).toBeGreaterThan(150);
    expect(rows.filter((row) => row.endsWith("|  |"))).toEqual([]);
  });

  it("then the tools page names every built-in tool", () => {
    const page = read("docs/tools.md");
    expect(builtInTools.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it("then the commands page names every chat command", () => {
    const page = read("docs/reference/commands.md");
    expect(commands.map(({ name }) => name).filter((name) => !page.includes(`\`/${name}`))).toEqual([]);
  });

  it("then the commands page names every command and option of the command line", () => {
    const page = read("docs/reference/commands.md");
    const source = projectFiles("gateway/cli/")
      .filter((file) => /run-cli\.ts$|add-init\.ts$/.test(file))
      .map(read)
      .join("\n");
    const named = [...source.matchAll(/\.command\("(\w+)"|\bruns\("(\w+)"|\.option\(\s*"(?:-\w, )?(--[\w-]+)/g)].map(
      ([, command, run, option]) => option ?? command ?? run ?? "",
    );
    expect(new Set(named).size).toBeGreaterThan(15);
    expect(named.filter((name) => !new RegExp(`\`(?:-\\w, )?${name}\\b`).test(page))).toEqual([]);
  });
});

describe("given a schema", () => {
  const rows = (schema: object) =>
    configurationPage({ properties: { part: schema } })
      .split("\n")
      .filter((line) => /^\| `|^### /.test(line));
  const variable = { type: "string", pattern: "\\$" };

  it("when a key can be a variable, then the page shows the type of its value, the range and the default", () => {
    const port = {
      default: 8080,
      description: "Port.",
      anyOf: [{ type: "integer", minimum: 0, maximum: 9 }, variable],
    };
    expect(rows({ type: "object", properties: { port } })).toEqual([
      "| `part` | section |  |  |",
      "| `part.port` | integer, 0 to 9 | `8080` | Port. |",
    ]);
  });

  it("when there are lists and maps, then the page shows the keys of their entries", () => {
    const entry = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
    expect(rows({ type: "array", items: entry })).toEqual([
      "| `part` | list of sections |  |  |",
      "| `part[].id` | string | required |  |",
    ]);
    expect(rows({ type: "object", additionalProperties: entry })).toEqual([
      "| `part` | map |  |  |",
      "| `part.<name>.id` | string | required |  |",
    ]);
  });

  it("when a key has several forms, then keys that only one form requires say so", () => {
    const form = (key: string) => ({ type: "object", properties: { [key]: { type: "string" } }, required: [key] });
    expect(rows({ anyOf: [form("room"), form("person")] })).toEqual([
      "| `part` | section |  |  |",
      "| `part.room` | string | required in this form |  |",
      "| `part.person` | string | required in this form |  |",
    ]);
  });

  it("when a constant key chooses a variant, then each variant has a section", () => {
    const variant = (adapter: string) => ({ type: "object", properties: { adapter: { const: adapter } } });
    expect(rows({ type: "object", additionalProperties: { oneOf: [variant("a"), variant("b")] } })).toEqual([
      "| `part` | map |  |  |",
      "### `part.<name>` with `adapter: a`",
      "| `part.<name>.adapter` | `a` |  |  |",
      "### `part.<name>` with `adapter: b`",
      "| `part.<name>.adapter` | `b` |  |  |",
    ]);
  });
});

describe("given a metric", () => {
  it("then the page shows its full name, kind, labels and help", () => {
    const page = metricsPage({ turns_total: { kind: "counter", help: "Turns.", labels: ["agent", "outcome"] } });
    expect(page).toContain("| `mooring_turns_total` | counter | `agent`, `outcome` | Turns. |");
  });
});
