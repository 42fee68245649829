import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestDeaths } from "./digest-deaths.ts";

digestDeaths("the embedded backbone", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "mooring-relay-deaths-"));
  return {
    backbone: { kind: "embedded", dataDir, failurePauseMs: 5 },
    dispose: () => rm(dataDir, { recursive: true, force: true }),
  };
});
