import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openConfigFile } from "../../../config/file/index.ts";
import { ConfigInvalid } from "../../../config/index.ts";

const TEXT = `# The harbour's configuration
agents:
  - name: mooring   # the only one
    model: demo
    maxToolRounds: 12 # rounds
    directives: "Be brief, \${TONE}."
channels:
  web: { adapter: web, limits: { messagesPerSecond: 5 } }
`;

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mooring-config-"));
  path = join(folder, "mooring.yaml");
  writeFileSync(path, TEXT);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = () => openConfigFile({ file: path, env: { TONE: "friendly" } });
const change = async (keys: (string | number)[], value: string | number) => {
  const file = open();
  await file.change(keys, value, (await file.read()).digest);
  return readFileSync(path, "utf8");
};

describe("given a configuration file that an operator changes (U5)", () => {
  it("when a value is in the file, then only its text changes, and comments and layout stay", async () => {
    chmodSync(path, 0o640);
    expect(await change(["agents", 0, "maxToolRounds"], 20)).toBe(TEXT.replace("12 #", "20 #"));
    expect(await change(["channels", "web", "limits", "messagesPerSecond"], 7)).toContain("{ messagesPerSecond: 7 }");
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(["mooring.yaml"]);
  });

  it("when a value is not in the file, then it is added, and the rest stays", async () => {
    expect(await change(["logLevel"], "debug")).toBe(`${TEXT}logLevel: "debug"\n`);
    const text = await change(["agents", 0, "maxTurnsPerPerson"], 3);
    for (const kept of ["# The harbour's configuration", "# the only one", "# rounds"]) expect(text).toContain(kept);
    expect((await open().read()).config.agents[0]).toMatchObject({ maxTurnsPerPerson: 3, maxToolRounds: 12 });
  });

  it("when the map of a new value is in the file, then the value gets its own line, and no other line changes", async () => {
    const before = `# Harbour
agents:
-   name: mooring   # the only one

    # Short answers.
    model:   demo
    directives: |+
      Be brief.

channels:
    web: {adapter: web}   # the website

`;
    writeFileSync(path, before);
    const added = before.replace("demo\n", "demo\n    maxTurnsPerPerson: 3\n");
    expect(await change(["agents", 0, "maxTurnsPerPerson"], 3)).toBe(added);
    const limited = added.replace("adapter: web}", "adapter: web, limits: { messagesPerSecond: 7 }}");
    expect(await change(["channels", "web", "limits", "messagesPerSecond"], 7)).toBe(limited);
    expect(await change(["logLevel"], "debug")).toBe(`${limited}logLevel: "debug"\n`);
    expect((await open().read()).config).toMatchObject({ logLevel: "debug", agents: [{ maxTurnsPerPerson: 3 }] });
  });

  it("when a text at the end of the file keeps its empty lines, then a new value does not change them", async () => {
    writeFileSync(
      path,
      "channels: { web: { adapter: web } }\nagents:\n  - name: mooring\n    model: demo\n    directives: |+\n      Be brief.\n\n\n",
    );
    const { directives } = (await open().read()).config.agents[0] ?? {};
    await change(["logLevel"], "debug");
    expect((await open().read()).config.agents[0]?.directives).toBe(directives);
  });

  it("when the file begins with a byte order mark, then the value changes and the mark stays", async () => {
    writeFileSync(path, `\ufeff${TEXT}`);
    expect(await change(["agents", 0, "maxToolRounds"], 20)).toBe(`\ufeff${TEXT.replace("12 #", "20 #")}`);
  });

  it("when the file belongs to another user and group, then it still does, or is not changed", async () => {
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(path, 12_345, 54_321);
    const { uid, gid } = statSync(path);
    await change(["agents", 0, "maxToolRounds"], 20);
    expect(statSync(path)).toMatchObject({ uid, gid });
  });

  it("when the file has changed in the meantime, then nothing is written", async () => {
    const file = open();
    const { digest } = await file.read();
    const changed = TEXT.replace("12", "13");
    writeFileSync(path, changed);
    await expect(file.change(["agents", 0, "maxToolRounds"], 20, digest)).rejects.toMatchObject({ code: "conflict" });
    expect(readFileSync(path, "utf8")).toBe(changed);
  });

  it("when the value is not valid, then the error has the line, and nothing is written", async () => {
    const error = await change(["agents", 0, "maxToolRounds"], -1).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ConfigInvalid);
    expect(error).toMatchObject({ problems: [{ path: "agents[0].maxToolRounds", line: 5 }] });
    expect(readFileSync(path, "utf8")).toBe(TEXT);
  });

  it("when values have references, then their source says so", async () => {
    const { sourceOf } = await open().read();
    expect(sourceOf(["agents", 0, "directives"])).toBe("file, with references");
    expect(sourceOf(["agents", 0, "maxToolRounds"])).toBe("file");
    expect(sourceOf(["logLevel"])).toBe("default");
  });
});
