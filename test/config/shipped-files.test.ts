import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { configJsonSchema } from "../../config/schema/json-schema.ts";

const root = new URL("../../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");

const check = (...args: string[]) =>
  spawnSync(process.execPath, ["--import", "tsx", "config/check.ts", ...args], {
    cwd: fileURLToPath(root),
    env: { PATH: process.env.PATH },
    encoding: "utf8",
  });

describe("given the schema for editors (U1)", () => {
  it("then the committed file is up to date (otherwise run npm run config:schema)", () => {
    expect(JSON.parse(read("config/mooring.schema.json"))).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
  });

  it("then it accepts a variable or a file in place of a number, and does not check the length of an unresolved secret", () => {
    const properties = (schema: unknown) => (schema as { properties: Record<string, unknown> }).properties;
    const { gateway } = properties(configJsonSchema());
    expect(properties(gateway).port).toMatchObject({
      anyOf: [
        { type: "integer", maximum: 65_535 },
        { type: "string", pattern: "\\$\\{(\\w+|file:[^}]+)\\}" },
      ],
    });
    expect(JSON.stringify(configJsonSchema())).not.toContain('"minLength":32');
  });

  it.each(["config/mooring.yaml", "config/example.yaml"])("then %s points editors to it", (file) => {
    expect(read(file).split("\n")[0]).toBe("# yaml-language-server: $schema=./mooring.schema.json");
  });
});

describe("given the example", () => {
  it("then it contains every top-level key of the schema", () => {
    const shown = Object.keys(parseDocument(read("config/example.yaml")).toJS());
    // The example serves several people, so personal mode is a comment in it.
    expect(read("config/example.yaml")).toContain("\n# owner: {");
    expect([...shown, "owner"].sort()).toEqual(Object.keys(configJsonSchema().properties ?? {}).sort());
  });
});

describe("given npm run config:check", () => {
  it("when the file is valid, then it prints ok and starts nothing", () => {
    expect(check()).toMatchObject({ status: 0, stdout: "ok: 1 agent, 2 channels (web, cli)\n", stderr: "" });
  });

  it("when variables are missing, then it lists them and fails", () => {
    const { status, stdout } = check("--config", "config/example.yaml");
    expect(status).toBe(1);
    expect(stdout).toMatch(/^config\/example\.yaml has \d+ problems:\n/);
    expect(stdout).toMatch(
      /^ {2}agents\[1\]\.model\.apiKey \(line \d+\): needs the environment variable MODEL_API_KEY/m,
    );
  });
});
