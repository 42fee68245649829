import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../config/parse-config.ts";
import { ConfigInvalid } from "../../config/problems/problem.ts";
import { fuzzRuns } from "../fuzz/fuzz-runs.ts";
import { MINIMAL } from "./problems-of.ts";

/** Parses the text; fails the test on any error other than ConfigInvalid. */
const refusalOf = (text: string, env: Record<string, string> = {}): ConfigInvalid | undefined => {
  try {
    parseConfig({ file: "test.yaml", text, env });
    return undefined;
  } catch (error) {
    if (error instanceof ConfigInvalid && error.problems.length > 0) return error;
    throw error;
  }
};

const words = [
  "agents",
  "channels",
  "web",
  "adapter",
  "model",
  "demo",
  "name",
  "tenants",
  "admin",
  "tokens",
  "backbone",
];
const marks = [
  ...words,
  ": ",
  "\n",
  "  ",
  "- ",
  "{ ",
  " }",
  "[",
  "]",
  ", ",
  '"',
  "'",
  "${",
  "}",
  "${A}",
  "&a ",
  "*a",
  "!b ",
  "|\n",
  "#",
  "? ",
];

/** Text that resembles YAML: keys of the schema and syntax characters in any order. */
const almostYaml = fc.array(fc.oneof(fc.constantFrom(...marks), fc.string({ maxLength: 4 })), { maxLength: 60 });

/** Values of any type at keys of the schema, as JSON, which is valid YAML. */
const wrongValues = fc.dictionary(
  fc.constantFrom("gateway", "backbone", "dataDir", "admin", "tenants", "people", "agents", "channels", "other"),
  fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.dictionary(fc.constantFrom(...words), fc.jsonValue({ maxDepth: 3 })),
    fc.array(fc.dictionary(fc.constantFrom(...words), fc.jsonValue({ maxDepth: 3 })), { maxLength: 3 }),
  ),
);

describe("given any text", () => {
  it("then it is a valid configuration, or is refused with problems", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => void refusalOf(text)));
    fc.assert(
      fc.property(almostYaml, (parts) => void refusalOf(parts.join(""), { A: "a" })),
      fuzzRuns(200),
    );
    fc.assert(
      fc.property(wrongValues, (value) => void refusalOf(JSON.stringify(value))),
      fuzzRuns(200),
    );
  });

  it("when a missing quote makes it a key, then the message shows the line instead", () => {
    const refusal = refusalOf(`agents:\n  - { name: a, model: demo, apiKey: x, S3cret-of-mine: }\n`);
    expect(refusal?.problems).toContainEqual(expect.objectContaining({ path: "agents[0][…]", line: 2 }));
    expect(refusal?.message).not.toContain("S3cret");
  });
});

/** Occurs in no message by itself. */
const secretText = fc.stringMatching(/^S3cret[A-Z0-9#:,{}[\]*&!|>%@"'\\ ]{1,40}$/);

const templates = [
  `${MINIMAL}channels: { web: { adapter: web, signingKey: X } }`,
  `${MINIMAL}channels: { web: { adapter: X } }`,
  `${MINIMAL}channels: { web: { adapter: web, allowedOrigins: [X], retentionDays: X, access: { accounts: X } } }`,
  `${MINIMAL}channels: { web: { adapter: web, agent: X } }`,
  `${MINIMAL}admin: { tokens: [{ token: X, role: X, tenant: X }, { token: X, role: org_admin, tenant: X }] }`,
  `${MINIMAL}backbone: { nats: { servers: [X], password: X, token: X, replicas: X, prefix: X } }`,
  `${MINIMAL}backbone: X`,
  `${MINIMAL}gateway: { port: X, publicUrl: X }`,
  "agents: [{ name: X, model: X, maxToolRounds: X, home: X }]",
  "agents: [{ name: a, model: { provider: X, model: m, apiKey: X }, tenant: X }]",
  `${MINIMAL}people: [{ name: A, accounts: { web: X } }, { name: B, accounts: { web: X } }]`,
];

describe("given a secret", () => {
  it("when the environment has it, then no message shows it, wherever it is used", () => {
    fc.assert(
      fc.property(fc.constantFrom(...templates), secretText, (template, value) => {
        const refusal = refusalOf(template.replaceAll("X", '"${SECRET}"'), { SECRET: value });
        expect(JSON.stringify([refusal?.message, refusal?.problems])).not.toContain("S3cret");
      }),
      fuzzRuns(200),
    );
  });

  it("when the file itself has it, then no message shows it, also where it makes the file unreadable", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...templates),
        secretText,
        fc.constantFrom("", '"', "'"),
        (template, value, quote) => {
          const refusal = refusalOf(template.replaceAll("X", `${quote}${value}${quote}`));
          expect(JSON.stringify([refusal?.message, refusal?.problems])).not.toContain("S3cret");
        },
      ),
      fuzzRuns(200),
    );
  });

  it("when a missing quote makes it a key, then the message shows the line instead", () => {
    const refusal = refusalOf(`agents:\n  - { name: a, model: demo, apiKey: x, S3cret-of-mine: }\n`);
    expect(refusal?.problems).toContainEqual(expect.objectContaining({ path: "agents[0][…]", line: 2 }));
    expect(refusal?.message).not.toContain("S3cret");
  });
});
