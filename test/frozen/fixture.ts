import { readdirSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import type { LogItem } from "../fakes/web-client.ts";
import type { CodeKinds } from "./code-kinds.ts";
import type { Contents } from "./contents.ts";
import { type ExportedStream, restoreStreams } from "./jetstream-export.ts";
import type { World } from "./platforms.ts";
import type { Backbone, Stage } from "./stage.ts";

const FOLDER = fileURLToPath(new URL("../fixtures/frozen/", import.meta.url));

/** The facts that clients and operators saw when the data was frozen, and must still see. */
export interface Facts {
  /** Wall clock, milliseconds. */
  readonly frozenAt: number;
  readonly visitor: { readonly token: string; readonly sessionId: string; readonly log: readonly LogItem[] };
  readonly waiter: { readonly token: string };
  /** The identifying field of each listed item, by the path of the admin API. */
  readonly listed: Readonly<Record<string, readonly string[]>>;
  readonly world: World;
}

/** For reviewers, and for the check that no kind is missing. */
export interface Summary {
  readonly code: CodeKinds;
  readonly embedded: Contents;
  readonly nats: Contents;
}

export const frozenVersions = (): string[] => readdirSync(FOLDER).sort();

const pathOf = (version: string, ...parts: string[]): string => join(FOLDER, version, ...parts);
const packed = (value: unknown): Buffer => compressed(Buffer.from(JSON.stringify(value)));
/** A compression window over the whole file, because a database's log repeats the same pages. */
const compressed = (bytes: Buffer): Buffer =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS } });
const unpacked = async (file: string) => JSON.parse(brotliDecompressSync(await readFile(file)).toString());

export const writeFacts = async (version: string, backbone: Backbone, facts: Facts): Promise<void> => {
  await mkdir(pathOf(version, backbone), { recursive: true });
  await writeFile(pathOf(version, backbone, "facts.json.br"), packed(facts));
};
export const readFacts = (version: string, backbone: Backbone): Promise<Facts> =>
  unpacked(pathOf(version, backbone, "facts.json.br"));

export const writeSummary = (version: string, summary: Summary): Promise<void> =>
  writeFile(pathOf(version, "contents.json"), `${JSON.stringify(summary, null, 2)}\n`);
export const readSummary = async (version: string): Promise<Summary> =>
  JSON.parse(await readFile(pathOf(version, "contents.json"), "utf8"));

/** The files that hold data: the database, and the log of what is not in it yet. Locks belong to a process. */
export const packFolder = async (version: string, dataDir: string): Promise<void> => {
  await mkdir(pathOf(version, "embedded"), { recursive: true });
  for (const name of ["mooring.db", "mooring.db-wal"]) {
    const file = compressed(await readFile(join(dataDir, name)));
    await writeFile(pathOf(version, "embedded", `${name}.br`), file);
  }
};

export const packStreams = async (version: string, streams: readonly ExportedStream[]): Promise<void> => {
  await mkdir(pathOf(version, "nats"), { recursive: true });
  await writeFile(pathOf(version, "nats", "streams.json.br"), packed(streams));
};

export const unpackFolder = async (version: string, dataDir: string): Promise<void> => {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const names = (await readdir(pathOf(version, "embedded"))).filter((name) => name.startsWith("mooring.db"));
  for (const name of names) {
    const file = brotliDecompressSync(await readFile(pathOf(version, "embedded", name)));
    await writeFile(join(dataDir, name.replace(/\.br$/, "")), file, { mode: 0o600 });
  }
};

export const readStreams = (version: string): Promise<readonly ExportedStream[]> =>
  unpacked(pathOf(version, "nats", "streams.json.br"));

/** Copies the frozen data to the data folder of the stage's product. */
export const loadInto = async (stage: Stage, version: string): Promise<void> => {
  if (stage.nats === undefined) return unpackFolder(version, stage.dataDir);
  await restoreStreams(stage.nats.url, await readStreams(version));
};
