import { chownSync, copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { backupDatabase } from "../../../../../core/backbone/embedded/backup/backup-database.ts";
import { restoreDatabase } from "../../../../../core/backbone/embedded/backup/restore-database.ts";
import { openDriver } from "../../../../../core/backbone/embedded/file/driver.ts";
import { keyOf } from "../../../../../core/contract/ports/store.ts";
import { runScript } from "../child-process.ts";
import { notes } from "../sample-kinds.ts";
import { openScratch, scratchDir } from "../scratch.ts";

const SERVICE_USER = 10_001;
const NOW = new Date("2030-01-02T03:04:05.006Z");

/** The texts in a data folder, opened as the product opens it. */
const textsIn = async (dataDir: string, ids: readonly string[]): Promise<(string | undefined)[]> => {
  const { backbone } = openScratch(dataDir);
  const found = await Promise.all(ids.map((id) => backbone.store.get(keyOf(notes, id))));
  await backbone.close();
  return found.map((entry) => entry?.value.text);
};

const folderWith = async (text: string): Promise<string> => {
  const dir = scratchDir();
  const { backbone } = openScratch(dir);
  await backbone.store.put(keyOf(notes, "a"), { text });
  await backbone.close();
  return dir;
};

describe("given a data folder of the user that runs Mooring", () => {
  it.runIf(process.geteuid?.() === 0)(
    "when root restores a backup, then the files belong to that user (U5)",
    async () => {
      const [dataDir, target] = [await folderWith("one"), scratchDir()];
      const file = join(dataDir, "copy.db");
      backupDatabase({ dataDir, file, force: false });
      chownSync(target, SERVICE_USER, SERVICE_USER);
      restoreDatabase({ dataDir: target, file, force: false, now: NOW });
      const owners = readdirSync(target).map((name) => statSync(join(target, name)).uid);
      expect([...new Set(owners)]).toEqual([SERVICE_USER]);
    },
  );
});

describe("given data that a process is writing", () => {
  it("when it is backed up, then the copy has all data that was stored before, also from the log (U5)", async () => {
    const [dataDir, elsewhere] = [scratchDir(), scratchDir()];
    const writer = runScript("publishing-child.ts", [dataDir, "0", "8"]);
    await writer.says(/^0-300$/);
    const stored = writer.lines.filter((line) => /^0-\d+$/.test(line));
    const file = join(elsewhere, "copy.db");
    expect(backupDatabase({ dataDir, file, force: false })).toBe(statSync(file).size);
    const after = writer.lines.length;
    await writer.says(new RegExp(`^0-${after + 50}$`));
    await writer.kill();
    restoreDatabase({ dataDir: join(elsewhere, "data"), file, force: false, now: NOW });
    const texts = await textsIn(join(elsewhere, "data"), stored);
    expect(texts.every((text) => text !== undefined)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(elsewhere).sort()).toEqual(["copy.db", "data"]);
  });

  it("when it closes while a backup reads, then neither fails, and the next start has all data", async () => {
    const dataDir = scratchDir();
    const { backbone } = openScratch(dataDir);
    await backbone.store.put(keyOf(notes, "a"), { text: "one" });
    const reader = openDriver(join(dataDir, "mooring.db"), 0);
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM entries").get();
    await backbone.close();
    reader.exec("COMMIT");
    reader.close();
    expect(await textsIn(dataDir, ["a"])).toEqual(["one"]);
  });
});

describe("given a data folder that is not in use", () => {
  it("when it is backed up, then one file without a log remains", async () => {
    const dataDir = await folderWith("one");
    backupDatabase({ dataDir, file: join(scratchDir(), "copy.db"), force: false });
    expect(readdirSync(dataDir).filter((name) => name.startsWith("mooring.db"))).toEqual(["mooring.db"]);
  });

  it("when the target exists, then it is refused without force", async () => {
    const dataDir = await folderWith("one");
    const file = join(scratchDir(), "copy.db");
    writeFileSync(file, "mine");
    expect(() => backupDatabase({ dataDir, file, force: false })).toThrow(/exists already.*--force/);
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect(backupDatabase({ dataDir, file, force: true })).toBeGreaterThan(1_000);
  });

  it.each([
    ["there is no database", () => scratchDir(), "copy.db", /mooring\.db does not exist: check dataDir/],
    ["the target is a folder", () => folderWith("one"), ".", /is not a file: name the file to write/],
    ["the target's folder is missing", () => folderWith("one"), "missing/copy.db", /copy\.db cannot be written/],
  ])("when %s, then the error says so", async (_, folder, name, message) => {
    const [dataDir, elsewhere] = [await folder(), scratchDir()];
    expect(() => backupDatabase({ dataDir, file: join(elsewhere, name), force: true })).toThrow(message);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it("when the target is the database itself, then it is refused, also with force", async () => {
    const dataDir = await folderWith("one");
    expect(() => backupDatabase({ dataDir, file: join(dataDir, "mooring.db"), force: true })).toThrow(
      "database itself",
    );
    expect(await textsIn(dataDir, ["a"])).toEqual(["one"]);
  });

  it("when an earlier backup was killed, then its partial file is removed", async () => {
    const [dataDir, elsewhere] = [await folderWith("one"), scratchDir()];
    for (const suffix of ["", "-journal"]) writeFileSync(join(elsewhere, `copy.db.partial-4194304${suffix}`), "half");
    backupDatabase({ dataDir, file: join(elsewhere, "copy.db"), force: false });
    expect(readdirSync(elsewhere)).toEqual(["copy.db"]);
  });
});

describe("given a backup", () => {
  const backedUp = async (text: string): Promise<string> => {
    const file = join(scratchDir(), "copy.db");
    backupDatabase({ dataDir: await folderWith(text), file, force: false });
    return file;
  };

  it("when it is restored over other data, then that is moved aside, with the content of its log", async () => {
    const [file, dataDir] = [await backedUp("new"), scratchDir()];
    const writer = runScript("publishing-child.ts", [dataDir]);
    await writer.says(/^0-5$/);
    await writer.kill();
    const restored = { dataDir, file, now: NOW };
    expect(() => restoreDatabase({ ...restored, force: false })).toThrow(/exists already: use --force/);
    const before = restoreDatabase({ ...restored, force: true });
    expect(before).toBe(join(dataDir, "mooring.db.before-2030-01-02T03-04-05-006Z"));
    expect(await textsIn(dataDir, ["a", "0-5"])).toEqual(["new", undefined]);
    const old = scratchDir();
    copyFileSync(before ?? "", join(old, "mooring.db"));
    expect(await textsIn(old, ["0-5"])).toEqual(["xxxxx"]);
  });

  it("when a process uses the data folder, then the restore is refused", async () => {
    const [file, dataDir] = [await backedUp("new"), scratchDir()];
    const { backbone } = openScratch(dataDir);
    await backbone.store.put(keyOf(notes, "a"), { text: "old" });
    expect(() => restoreDatabase({ dataDir, file, force: true, now: NOW })).toThrow("is in use by this process");
    expect((await backbone.store.get(keyOf(notes, "a")))?.value.text).toBe("old");
  });

  it.each([
    ["is missing", () => join(scratchDir(), "none.db"), "is not a file: name the backup"],
    ["is damaged", (file: string) => overwritten(file, 5_000), "damaged"],
    ["is another program's", () => foreign(), "is not a Mooring database"],
    ["is from a newer version", (file: string) => changed(file, "PRAGMA user_version = 999"), "newer Mooring"],
    ["has a log beside it", (file: string) => withLog(file), "write-ahead log beside it"],
  ])("when it %s, then the error says so and the data stays", async (_, prepare, message) => {
    const [file, dataDir] = [prepare(await backedUp("new")), await folderWith("old")];
    expect(() => restoreDatabase({ dataDir, file, force: true, now: NOW })).toThrow(message);
    expect(await textsIn(dataDir, ["a"])).toEqual(["old"]);
    expect(existsSync(join(dataDir, "mooring.db-wal"))).toBe(false);
  });
});

const overwritten = (file: string, from: number): string => {
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(7, from));
  return file;
};
const changed = (file: string, sql: string): string => {
  const driver = openDriver(file, 0);
  driver.exec(sql);
  driver.close();
  return file;
};
const foreign = (): string => changed(join(scratchDir(), "other.db"), "CREATE TABLE t (x)");
const withLog = (file: string): string => {
  writeFileSync(`${file}-wal`, "");
  return file;
};
