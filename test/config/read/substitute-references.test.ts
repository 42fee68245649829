import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../config/parse-config.ts";
import { MINIMAL, problemsOf } from "../problems-of.ts";

const agentWith = (directives: string, env: Record<string, string>) =>
  parseConfig({ file: "test.yaml", text: `agents: [{ name: a, model: demo, directives: ${directives} }]`, env })
    .agents[0]?.directives;

describe("given ${NAME} in the file", () => {
  it("when it is set, then its value is inserted, with any characters", () => {
    const odd = `#: "'{}[]\n\t&*!|>%@\`${"$"}{A}\\u0000é✓`;
    expect(agentWith('"${A}"', { A: odd })).toBe(odd);
    expect(agentWith('"before ${A} and ${B_2} after"', { A: "1", B_2: "2" })).toBe("before 1 and 2 after");
  });

  it("when a block value contains it, then it needs no quotes", () => {
    const text = "agents:\n  - name: a\n    model: demo\n    directives: ${A}\n";
    expect(parseConfig({ file: "f", text, env: { A: "x: y" } }).agents[0]?.directives).toBe("x: y");
  });

  it("when the schema expects a number or a boolean, then it is read as one", () => {
    const text = `${MINIMAL}gateway: { port: "\${P}" }\ntenants: { default: { a2aAsync: "\${S}" } }`;
    const { gateway, tenants } = parseConfig({ file: "f", text, env: { P: "9000", S: "true" } });
    expect([gateway.port, tenants.default?.a2aAsync]).toEqual([9000, true]);
    expect(problemsOf(text, { P: "many", S: "0" }).map(({ path }) => path)).toEqual([
      "gateway.port",
      "tenants.default.a2aAsync",
    ]);
  });

  it("when the schema expects one of several numbers, then it is read as one", () => {
    const text = `${MINIMAL}backbone: { nats: { servers: ["nats://h"], replicas: "\${R}" } }`;
    expect(parseConfig({ file: "f", text, env: { R: "3" } }).backbone).toMatchObject({ nats: { replicas: 3 } });
    expect(problemsOf(text, { R: "2" })[0]?.message).toBe("must be 1, 3 or 5");
  });

  it("when the schema expects text, then digits stay text", () => {
    expect(agentWith('"${A}"', { A: "0123" })).toBe("0123");
  });

  it("when it is not set or empty, then the problem names the key", () => {
    const text = `${MINIMAL}channels: { web: { adapter: web, signingKey: "\${KEY}" } }`;
    const problem = { path: "channels.web.signingKey", line: 2 };
    expect(problemsOf(text)).toEqual([{ ...problem, message: expect.stringContaining("KEY, which is not set") }]);
    expect(problemsOf(text, { KEY: "" })).toEqual([
      { ...problem, message: expect.stringContaining("KEY, which is empty") },
    ]);
  });

  it.each(["${}", "${A", "${A:-b}", "${1A}", "${A B}", "${file:}", "${file: a}", "${file:a ", "${File:a}"])(
    "when it is malformed (%s), then the problem shows the correct form",
    (malformed) => {
      expect(problemsOf(`${MINIMAL}dataDir: "${malformed}"`, { A: "a" })).toEqual([
        { path: "dataDir", line: 2, message: expect.stringContaining("name of an environment variable") },
      ]);
    },
  );

  it("when it is written $${, then it is plain text", () => {
    expect(agentWith('"$${A} $5 $"', { A: "x" })).toBe("${A} $5 $");
  });

  it("when it is in a key, then it is not filled in", () => {
    expect(problemsOf(`${MINIMAL}channels: { "\${A}": { adapter: web } }`, { A: "web" })[0]?.path).toBe(
      "channels.${A}",
    );
  });

  it("when it is inside { } or [ ] without quotes, then each is reported, and nothing else", () => {
    const text = [
      "agents:",
      "  - { name: a, model: demo, directives: ${A} }",
      "  - { name: b, model: demo, directives: x${B}y }",
      "channels:",
      '  web: { adapter: web, signingKey: "${C}", allowedOrigins: [${D}, "e"] }',
    ].join("\n");
    const message = expect.stringContaining('needs quotes: write "${NAME}"');
    expect(problemsOf(text)).toEqual([2, 3, 5].map((line) => ({ path: "", line, message })));
  });
});
