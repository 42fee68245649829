import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, it } from "vitest";
import { parseDocument } from "yaml";
import { problemsOf } from "../config/problems-of.ts";
import { fuzzRuns } from "./fuzz-runs.ts";
import { watchHarm } from "./harmless.ts";
import { mutatedText } from "./mutated.ts";

const read = (file: string): unknown =>
  parseDocument(readFileSync(new URL(`../../config/${file}`, import.meta.url), "utf8")).toJS();

const example = read("example.yaml");
const sections = Object.entries(Object(example)).map(([name, value]) => ({
  agents: [{ name: "mooring", model: "demo" }],
  [name]: value,
}));
const env = Object.fromEntries(
  [...JSON.stringify(example).matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [
    name,
    `value-of-${name}-0123456789abcdef`,
  ]),
);

describe("given a mutated example configuration (F19)", () => {
  it("when it is parsed, then it is valid or its problems are listed, and nothing is thrown", () => {
    const harm = watchHarm();
    fc.assert(
      fc.property(mutatedText([example, read("mooring.yaml"), ...sections]), (text) => void problemsOf(text, env)),
      fuzzRuns(100),
    );
    harm.expectNone();
  });
});
