import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureAdminToken } from "../../gateway/admin-token.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "mooring-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

describe("given no configured operators", () => {
  it("when Mooring starts for the first time, then it stores a token in a file that only its owner may read", async () => {
    const { file, token } = await ensureAdminToken(join(dataDir, "new"));
    expect(token.length).toBeGreaterThanOrEqual(32);
    expect((await readFile(file, "utf8")).trim()).toBe(token);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(dataDir, "new"))).toEqual(["admin-token"]);
  });

  it("when it starts again, then the token is the same", async () => {
    const first = await ensureAdminToken(dataDir);
    expect(await ensureAdminToken(dataDir)).toEqual(first);
  });

  it("when many processes start at once, then all have the same token and no temporary file is left", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => ensureAdminToken(dataDir)));
    expect(new Set(all.map(({ token }) => token)).size).toBe(1);
    expect(await readdir(dataDir)).toEqual(["admin-token"]);
  });

  it("when the file contains no token, then the error says what to do", async () => {
    await writeFile(join(dataDir, "admin-token"), "\n");
    await expect(ensureAdminToken(dataDir)).rejects.toThrow(/delete it/);
  });

  it("when dataDir is not a folder, then the error says what to do", async () => {
    await writeFile(join(dataDir, "file"), "");
    await expect(ensureAdminToken(join(dataDir, "file"))).rejects.toThrow(/could not write to .*set another dataDir/);
  });
});
