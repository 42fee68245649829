import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { kindsInCode } from "./code-kinds.ts";
import { type Contents, contentsOfFolder, contentsOfStreams } from "./contents.ts";
import { packFolder, packStreams, writeFacts, writeSummary } from "./fixture.ts";
import { exportStreams } from "./jetstream-export.ts";
import { laterWork } from "./later-work.ts";
import { everythingListed } from "./listed.ts";
import { leaveWorkOpen, poison } from "./open-work.ts";
import { worldOf } from "./platforms.ts";
import { settleWork } from "./settled-work.ts";
import { type Backbone, Stage } from "./stage.ts";

/**
 * Freezes the data of a release: `node --import tsx test/frozen/write-frozen.ts --root CHECKOUT`, where CHECKOUT is a
 * built checkout of exactly that release. Its version names the fixture, or `--as NAME` does.
 */
const freeze = async (root: string, version: string, backbone: Backbone): Promise<Contents> => {
  const stage = await Stage.create(backbone, { main: join(root, "dist/mooring.js") });
  try {
    await stage.start();
    const visitor = stage.visitor("visitor");
    const waiter = stage.visitor("waiter");
    await settleWork(stage, visitor);
    await poison(stage);
    // A stop merges the database's log into the database, so that the log has only the open work afterwards.
    await stage.end("SIGTERM");
    await stage.start();
    await laterWork(stage);
    await leaveWorkOpen(stage, visitor, waiter);
    const listed = await everythingListed(stage);
    await stage.end();
    await writeFacts(version, backbone, {
      frozenAt: Date.now(),
      visitor: { token: visitor.token ?? "", sessionId: visitor.sessionId ?? "", log: visitor.log },
      waiter: { token: waiter.token ?? "" },
      listed,
      world: worldOf(stage.platforms),
    });
    return stage.nats ? await freezeStreams(version, stage.nats.url) : await freezeFolder(version, stage.dataDir);
  } finally {
    await stage.dispose();
  }
};

const freezeStreams = async (version: string, url: string): Promise<Contents> => {
  const contents = await contentsOfStreams(url);
  await packStreams(version, await exportStreams(url));
  return contents;
};

const freezeFolder = async (version: string, dataDir: string): Promise<Contents> => {
  await packFolder(version, dataDir);
  // Opening a database changes its files, so a copy is read.
  const copy = await mkdtemp(join(tmpdir(), "mooring-frozen-copy-"));
  try {
    await cp(dataDir, copy, { recursive: true });
    return contentsOfFolder(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
};

const { values } = parseArgs({ options: { root: { type: "string", default: "." }, as: { type: "string" } } });
const root = resolve(values.root);
const version = values.as ?? JSON.parse(await readFile(join(root, "package.json"), "utf8")).version;
const code = await kindsInCode(root);
const embedded = await freeze(root, version, "embedded");
const nats = await freeze(root, version, "nats");
await writeSummary(version, { code, embedded, nats });
console.log(`frozen: ${version}`);
