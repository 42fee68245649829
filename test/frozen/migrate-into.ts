import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startMooring } from "../e2e/mooring-process.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { readStreams, unpackFolder } from "./fixture.ts";
import { restoreStreams } from "./jetstream-export.ts";
import type { Stage } from "./stage.ts";

/** Copies the frozen data of the other backbone to the stage's, by `mooring migrate` at the time of the freeze. */
export const migrateInto = async (stage: Stage, version: string, nodeArgs: readonly string[]): Promise<void> => {
  const folder = await mkdtemp(join(stage.folder, "old-"));
  const server = stage.nats ? undefined : await NatsServer.start();
  try {
    if (server) await restoreStreams(server.url, await readStreams(version));
    else await unpackFolder(version, join(folder, "data"));
    const old = server ? { nats: { servers: [server.url], leaseMs: 1_000, partitions: 2 } } : "embedded";
    const agents = [{ name: "mooring", model: "demo" }];
    await writeFile(join(folder, "old.yaml"), JSON.stringify({ backbone: old, dataDir: join(folder, "data"), agents }));
    await stage.configure();
    const args = ["migrate", "--config", join(folder, "old.yaml"), "--to", "mooring.yaml"];
    const run = startMooring(args, { cwd: stage.folder, nodeArgs });
    const { code } = await run.exited;
    if (code !== 0) throw new Error(`mooring migrate ended with ${code}: ${run.stdout()}${run.stderr()}`);
  } finally {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
