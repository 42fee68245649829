import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { configJsonSchema } from "../../config/schema/json-schema.ts";
import { settingKeys } from "./setting-keys.ts";

const FOLDER = fileURLToPath(new URL("../outside/settings/", import.meta.url));
const CALL = /\bproves\(/g;
const DECLARATION = /\bproves\(\s*\[((?:\s*"[^"\n]+"\s*,?)+)\s*\],\s*["'`]/g;

const all = readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(`${FOLDER}${name}`, "utf8") }));
const files = all.filter(({ name }) => name.endsWith(".test.ts"));
/** The shared rig of the tests, which may set a key for them. */
const shared = all
  .filter((file) => !files.includes(file))
  .map(({ text }) => text)
  .join("\n");

const proofs = files.flatMap(({ name, text }) =>
  [...text.matchAll(DECLARATION)].flatMap(([, list = ""]) =>
    [...list.matchAll(/"([^"\n]+)"/g)].map(([, key = ""]) => ({
      file: name,
      key,
      code: `${text.replace(DECLARATION, "")}\n${shared}`,
    })),
  ),
);
const proved = new Set(proofs.map(({ key }) => key));
const keys = settingKeys(configJsonSchema());

describe("given the schema of the configuration, and the tests in test/outside/settings/", () => {
  it("when the keys of the schema are listed, then nested, repeated and adapter-specific ones are among them", () => {
    expect(keys).toEqual(
      expect.arrayContaining([
        "logLevel",
        "gateway.limits.connections",
        "tenants.*.a2aAsync",
        "telemetry.otlp.headers",
        "agents[].skills[].tags",
        "agents[].home.person",
        "agents[].home.room",
        "agents[].delivery.policy",
        "agents[].delivery.quietHours.from",
        "agents[].model(anthropic).timeouts.idleMs",
        "channels.*(slack).access.teams",
        "channels.*(web).access.accounts",
      ]),
    );
    expect(
      keys.filter((key) => ["", "gateway", "agents", "agents[].delivery", "channels.*(web)"].includes(key)),
    ).toEqual([]);
  });

  it("when a key has no proof, then it is named here: add one with `proves` in test/outside/settings/", () => {
    expect(keys.filter((key) => !proved.has(key))).toEqual([]);
  });

  it("when a proof names a key that the schema does not have, then it is named here", () => {
    expect(proofs.filter(({ key }) => !keys.includes(key)).map(({ file, key }) => `${file}: ${key}`)).toEqual([]);
  });

  it("when a proof is declared, then its keys are plain text, and its file sets each of them", () => {
    for (const { name, text } of files) {
      expect(text.match(DECLARATION)?.length ?? 0, `declarations in ${name}`).toBe(text.match(CALL)?.length ?? 0);
    }
    const lastName = (key: string) => /[^.]+$/.exec(key)?.[0] ?? key;
    const unset = proofs.filter(({ key, code }) => !new RegExp(`\\b${lastName(key)}\\b`).test(code));
    expect(unset.map(({ file, key }) => `${file}: ${key}`)).toEqual([]);
  });
});
