import { existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DATA_FORMAT } from "../../../../core/backbone/data-format.ts";
import { Database } from "../../../../core/backbone/embedded/file/database.ts";
import { openDriver } from "../../../../core/backbone/embedded/file/driver.ts";
import { APPLICATION_ID, migrations } from "../../../../core/backbone/embedded/file/schema.ts";
import { openEmbeddedBackbone } from "../../../../core/backbone/embedded/open-embedded-backbone.ts";
import { silentLogger } from "../../../../core/contract/ports/logger.ts";
import { keyOf } from "../../../../core/contract/ports/store.ts";
import { runScript } from "./child-process.ts";
import { counted, notes } from "./sample-kinds.ts";
import { openScratch, readOne, scratchDir } from "./scratch.ts";

const refusal = (dataDir: string): { code?: string; message: string } => {
  try {
    new Database(dataDir).close();
  } catch (error) {
    return error as Error & { code?: string };
  }
  throw new Error("it was opened");
};

/** A closed folder with some data. */
const filled = async (): Promise<{ dir: string; file: string }> => {
  const dir = scratchDir();
  const { backbone } = openScratch(dir);
  const writes = Array.from({ length: 300 }, (_, n) =>
    backbone.bus.publish(counted(), { n, text: "x".repeat(500) }, { id: `${n}` }),
  );
  await Promise.all(writes);
  await backbone.close();
  return { dir, file: join(dir, "mooring.db") };
};

describe("given a data folder", () => {
  it("when it is absent, then it is created with access for its owner only", () => {
    const dir = join(scratchDir(), "new", "data");
    openScratch(dir);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    for (const file of ["mooring.db", "mooring.db-wal"]) expect(statSync(join(dir, file)).mode & 0o777).toBe(0o600);
  });

  it("when the backbone has closed, then one file without a log remains, and it opens again", async () => {
    const { dir, file } = await filled();
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(existsSync(join(dir, "mooring.pid"))).toBe(false);
    const { database } = openScratch(dir);
    expect(readOne(database, "SELECT count(*) FROM messages")).toBe(300);
    expect(readOne(database, "PRAGMA journal_mode")).toBe("wal");
    expect(readOne(database, "PRAGMA synchronous")).toBe(2);
  });

  it("when this process has it open already, then the second open is refused and the first backbone still works", async () => {
    const dir = scratchDir();
    const { backbone } = openScratch(dir);
    expect(refusal(dir)).toMatchObject({ code: "data-in-use", message: expect.stringContaining("this process") });
    await expect(backbone.store.put(keyOf(notes, "a"), { text: "still here" })).resolves.toBeGreaterThan(0);
    expect(refusal(dir).code).toBe("data-in-use");
  });

  it("when another process has it open, then the error names that process; when that is killed, then the folder is free", async () => {
    const dir = scratchDir();
    const holder = runScript("publishing-child.ts", [dir]);
    await holder.says(/^0-1$/);
    const refused = refusal(dir);
    expect(refused.code).toBe("data-in-use");
    expect(refused.message).toContain(dir);
    expect(refused.message).toContain(`process ${holder.process.pid}`);
    const second = runScript("publishing-child.ts", [dir]);
    expect(await second.says(/^refused/)).toContain("data-in-use");
    await holder.kill();
    const { database } = openScratch(dir);
    expect(readOne(database, "PRAGMA integrity_check")).toBe("ok");
  });

  it("when several processes start at once, then exactly one opens it", async () => {
    const dir = scratchDir();
    const children = [1, 2, 3].map((n) => runScript("publishing-child.ts", [dir, `${n}`]));
    const said = await Promise.all(children.map((child) => child.says(/^(open|refused)/)));
    expect(said.filter((line) => line === "open")).toHaveLength(1);
    expect(said.filter((line) => line.startsWith("refused data-in-use"))).toHaveLength(2);
  });
});

describe("given a data folder that cannot be used", () => {
  it("when it is a file, or a path below a file, then the error names it and says what to do", () => {
    const file = join(scratchDir(), "file");
    writeFileSync(file, "");
    for (const dir of [file, join(file, "data")]) {
      const refused = refusal(dir);
      expect(refused).toMatchObject({ code: "data-unusable", message: expect.stringContaining(dir) });
      expect(refused.message).toContain("Choose another dataDir");
    }
  });

  it("when the file is a folder, then it is refused, and the lock is released", () => {
    const dir = scratchDir();
    mkdirSync(join(dir, "mooring.db"));
    for (const _ of [1, 2]) {
      expect(refusal(dir)).toMatchObject({ code: "data-unusable", message: expect.stringContaining("mooring.db") });
    }
  });
});

describe("given a data file that cannot be used", () => {
  const damaged = { code: "data-unusable", message: expect.stringMatching(/damaged.*backup/) };

  it("when it is not a database, then it is refused and unchanged", () => {
    const dir = scratchDir();
    const text = "Not a database. ".repeat(1_000);
    writeFileSync(join(dir, "mooring.db"), text);
    for (const _ of [1, 2]) expect(refusal(dir)).toMatchObject(damaged);
    expect(readFileSync(join(dir, "mooring.db"), "utf8")).toBe(text);
  });

  it("when it is truncated, then it is refused", async () => {
    const { dir, file } = await filled();
    truncateSync(file, statSync(file).size - 20_000);
    for (const _ of [1, 2]) expect(refusal(dir)).toMatchObject(damaged);
  });

  it("when it is empty but its log is not, then it is refused and the log stays", async () => {
    const { dir, file } = await filled();
    truncateSync(file, 0);
    writeFileSync(`${file}-wal`, "something");
    expect(refusal(dir)).toMatchObject({ code: "data-unusable", message: expect.stringContaining("-wal") });
    expect(readFileSync(`${file}-wal`, "utf8")).toBe("something");
  });

  it("when a read finds damage later, then it rejects, health reports it and later writes are refused", async () => {
    const { dir, file } = await filled();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, bytes.length / 2);
    writeFileSync(file, bytes);
    const { backbone } = openScratch(dir);
    const consuming = backbone.bus.consume(counted(), { durable: "d", concurrency: 1 }, async () => ({ ack: true }));
    await expect(consuming).rejects.toMatchObject(damaged);
    expect(backbone.health()).toMatchObject({ ok: false, reason: expect.stringContaining("damaged") });
    await expect(backbone.bus.publish(counted(), { n: 1 }, { id: "a" })).rejects.toMatchObject(damaged);
  });

  it("when opening finds damage, then the lock is released", async () => {
    const { dir, file } = await filled();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 2 * 4096);
    writeFileSync(file, bytes);
    for (const _ of [1, 2]) {
      await expect(openEmbeddedBackbone({ dataDir: dir, logger: silentLogger })).rejects.toMatchObject(damaged);
    }
  });

  it("when a newer Mooring wrote it, then the error says so, also at the next attempt (F41)", async () => {
    const { dir, file } = await filled();
    const driver = openDriver(file, 0);
    driver.exec("PRAGMA user_version = 99");
    driver.close();
    for (const _ of [1, 2]) {
      expect(refusal(dir)).toMatchObject({
        code: "data-unusable",
        message: expect.stringMatching(/newer Mooring.*Install that version.*restore a backup/),
      });
    }
  });

  it("then each data format has one migration (U5)", () => {
    expect(migrations).toHaveLength(DATA_FORMAT);
  });

  it("when an older Mooring wrote it, then it has the same entries in the current schema", async () => {
    const dir = scratchDir();
    const driver = openDriver(join(dir, "mooring.db"), 0);
    for (const migration of migrations.slice(0, 2)) driver.exec(migration);
    const expiry = Date.now() + 60_000;
    driver.exec(`INSERT INTO entries VALUES ('notes', 'kept', 7, NULL, '{"text":"kept"}')`);
    driver.exec(`INSERT INTO entries VALUES ('notes', 'lasting', 8, ${expiry}, '{"text":"lasting"}')`);
    driver.exec(`INSERT INTO entries VALUES ('notes', 'over', 9, 1, '{"text":"over"}')`);
    driver.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 2; UPDATE numbers SET reserved = 9`);
    driver.close();
    const { database, backbone } = openScratch(dir);
    expect(await backbone.store.get(keyOf(notes, "kept"))).toEqual({ value: { text: "kept" }, revision: 7 });
    expect(await backbone.store.put(keyOf(notes, "lasting"), { text: "" }, { ifRevision: 8 })).toBeGreaterThan(9);
    await backbone.sweeper.sweep();
    expect(readOne(database, "SELECT count(*) FROM entries")).toBe(2);
  });

  it("when it belongs to another program, then it is refused", () => {
    const dir = scratchDir();
    const driver = openDriver(join(dir, "mooring.db"), 0);
    driver.exec("CREATE TABLE entries (theirs TEXT)");
    driver.close();
    expect(refusal(dir)).toMatchObject({ code: "data-unusable", message: expect.stringContaining("another program") });
  });
});
