import { describe, expect, it } from "vitest";
import type { Database } from "../../../../core/backbone/embedded/file/database.ts";
import { runScript, runScriptOnSmallFiles } from "./child-process.ts";
import { openScratch, readOne, scratchDir } from "./scratch.ts";

const stored = (database: Database, sql: string): Set<string> =>
  new Set(
    database
      .prepare<[string]>(sql)
      .all()
      .map(([id]) => id),
  );

const expectAllStored = (database: Database, said: readonly string[]): void => {
  expect(readOne(database, "PRAGMA integrity_check")).toBe("ok");
  const messages = stored(database, "SELECT id FROM messages");
  const entries = stored(database, "SELECT key FROM entries WHERE collection = 'notes'");
  expect(said.filter((id) => !messages.has(id) || !entries.has(id))).toEqual([]);
  expect(readOne(database, "SELECT count(*) FROM messages WHERE NOT json_valid(body)")).toBe(0);
  // Both were submitted in one pass, so they share a transaction: one without the other would be half a batch.
  expect([...messages].filter((id) => !entries.has(id))).toEqual([]);
  expect([...entries].filter((id) => !messages.has(id))).toEqual([]);
};

const numbers = (lines: readonly string[]): string[] => lines.filter((line) => /^\d+-\d+$/.test(line));

describe("given a process that stores as fast as it can", () => {
  it("when it is killed at random times, then every confirmed write is stored and no batch is partial (F5)", async () => {
    const dir = scratchDir();
    const said: string[] = [];
    for (let round = 1; round <= 10; round++) {
      const child = runScript("publishing-child.ts", [dir, `${round}`, round % 2 ? "1" : "20"]);
      await child.says(new RegExp(`^${round}-${7 * round}$`));
      await child.kill();
      said.push(...numbers(child.lines));
      const { database, backbone } = openScratch(dir);
      expectAllStored(database, said);
      await backbone.close();
    }
    expect(said.length).toBeGreaterThanOrEqual(385);
  });

  it("when writes fail as on a broken disk, then later writes are refused, and every confirmed write is stored (F16)", async () => {
    const dir = scratchDir();
    const child = runScriptOnSmallFiles("publishing-child.ts", [dir, "1", "5"], 2_000);
    expect(await child.says(/^failed/)).toBe("failed unavailable");
    expect(await child.says(/^then/)).toBe("then unavailable");
    expect(await child.says(/^health/)).toMatch(/"ok":false.*disk failed.*restart/);
    await child.ended;
    expectAllStored(openScratch(dir).database, numbers(child.lines));
  });
});
