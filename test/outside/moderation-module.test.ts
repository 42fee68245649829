import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { requireFreshBuild, startMooring } from "../e2e/mooring-process.ts";

beforeAll(requireFreshBuild);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mooring-moderation-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** `mooring check` with a moderation module of this text; without one the file does not exist. */
const check = async (source?: string) => {
  const config = { agents: [{ name: "mooring", model: "demo" }], moderation: { module: "./check.mjs" } };
  await writeFile(join(folder, "mooring.yaml"), JSON.stringify(config));
  if (source !== undefined) await writeFile(join(folder, "check.mjs"), source);
  const child = startMooring(["check", "--config", "mooring.yaml"], { cwd: folder });
  const { code } = await child.exited;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
};

describe("given moderation by a module", () => {
  it("when mooring check runs, then it loads the module and prints what is checked, by what, and what a failure does", async () => {
    const { code, stdout } = await check("export default () => ({ allow: true });");
    expect(stdout).toMatch(/Moderation\s+messages and answers by .*check\.mjs; if it fails: refuse/);
    expect(code).toBe(0);
  });

  it.each([
    ["is missing", undefined, "cannot be loaded"],
    ["has a syntax error", "export default (", "cannot be loaded"],
    ["throws", "throw new Error('no licence');", "cannot be loaded: no licence"],
    ["exports no function", "export default { allow: true };", "the default export must be a function"],
  ])(
    "when the module %s, then mooring check fails and names the setting, the file and the reason (U1)",
    async (_, source, reason) => {
      const { code, stderr } = await check(source);
      expect(stderr).toContain("moderation.module");
      expect(stderr).toContain("check.mjs");
      expect(stderr).toContain(reason);
      expect(code).toBe(1);
    },
  );
});
