import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import { kindsInCode } from "./code-kinds.ts";
import { collectionsOfCode } from "./collections-of-code.ts";
import { contentsOfFolder, rowsOfFolder } from "./contents.ts";
import { frozenVersions, readSummary, unpackFolder } from "./fixture.ts";
import { addedSince, migrated, notReached } from "./since-frozen.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Variants that a reader treats differently, by collection and field. */
const variants = {
  "a2a-tasks": { state: ["canceled", "completed", "working"] },
  history: { kind: ["said", "turn"], outcome: ["answered", "cancelled", "failed", "nothing"] },
  ledger: { state: ["accepted", "begun", "claimed", "failed", "unknown", "withdrawn"] },
  links: { state: ["linked", "offered"] },
  "peer-calls": { mode: ["consult", "task_delegate"], state: ["answered", "failed", "open"] },
  schedules: { madeIn: ["chat", "configuration", "console"], status: ["active", "cancelled", "ended"] },
  subtasks: { status: ["cancelled", "completed", "failed", "running"] },
} as const;

/** Data of the code between two releases. */
const UNRELEASED = "unreleased";
/** The gaps of a fixture. They are named, so that no other kind can be missing. */
const gapsOf = (version: string): readonly string[] =>
  version === UNRELEASED ? [...addedSince.collections, ...addedSince.messages] : (notReached[version] ?? []);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mooring-kinds-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe.each(frozenVersions())("given the frozen data of %s", (version) => {
  it("then it holds every collection and every kind of stored message that its code had, but for named gaps (U5)", async () => {
    const { code, embedded, nats } = await readSummary(version);
    expect(code.collections.length).toBeGreaterThan(50);
    for (const { collections, messages } of [embedded, nats]) {
      const isMissing = (name: string) => collections[name] === undefined && messages[name] === undefined;
      const missing = [...code.collections, ...code.messages].filter(isMissing);
      expect(missing.filter((name) => !gapsOf(version).includes(name))).toEqual([]);
    }
    expect(nats.collections).toMatchObject({ bus_members: {}, bus_partitions: {} });
  });

  it.each(Object.entries(variants))("then its %s have every variant (U5)", async (name, fields) => {
    const { embedded, nats } = await readSummary(version);
    for (const { collections } of [embedded, nats]) {
      for (const [field, values] of Object.entries(fields)) {
        expect(collections[name]?.variants[field]).toEqual(expect.arrayContaining([...values]));
      }
    }
  });

  it("then this code still has each of its kinds, or has migrated it (U5)", async () => {
    const { code } = await readSummary(version);
    const today = await kindsInCode(ROOT);
    const known = new Set([...today.collections, ...today.messages, ...Object.keys(migrated)]);
    expect([...code.collections, ...code.messages].filter((name) => !known.has(name))).toEqual([]);
  });

  it("then the data folder matches its list of contents (U5)", async () => {
    await unpackFolder(version, folder);
    expect(contentsOfFolder(folder)).toEqual((await readSummary(version)).embedded);
  });

  it("then this code's schemas accept every record and every message of it (U5, F31)", async () => {
    await unpackFolder(version, folder);
    const { collections, messages } = rowsOfFolder(folder);
    const declared = await collectionsOfCode(ROOT);
    const subjects = Object.values(subjectsOf("default")).map((subject) => subject("any"));
    const unreadable = [
      ...collections.filter(({ name, json }) => !declared.get(name)?.schema.safeParse(JSON.parse(json)).success),
      ...messages.filter(({ name, json }) => {
        const subject = subjects.find((each) => each.family === name);
        return !subject?.schema.safeParse(JSON.parse(json)).success;
      }),
    ];
    expect(unreadable).toEqual([]);
  });
});

describe("given the newest frozen data and this code", () => {
  it("then a kind that the code has added is either frozen or listed as added since (U5)", async () => {
    const { embedded } = await readSummary(frozenVersions().at(-1) ?? "");
    const today = await kindsInCode(ROOT);
    expect(today.collections.filter((name) => !embedded.collections[name])).toEqual(addedSince.collections);
    expect(today.messages.filter((name) => !embedded.messages[name])).toEqual(addedSince.messages);
  });
});
