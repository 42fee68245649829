import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedBackbone } from "../../core/backbone/embedded/open-embedded-backbone.ts";
import type { Backbone } from "../../core/contract/ports/backbone.ts";
import { silentLogger } from "../../core/contract/ports/logger.ts";
import { SkewedClock } from "../fakes/skewed-clock.ts";
import type { BackboneHarness } from "./backbone-harness.ts";
import { BackboneProcess } from "./backbone-process.ts";

const failurePauseMs = 2;

export const embeddedHarness: BackboneHarness = {
  name: "embedded",
  manyProcesses: false,
  hasServer: false,
  async deploy() {
    const dataDir = await mkdtemp(join(tmpdir(), "mooring-embedded-"));
    const clock = new SkewedClock();
    let opened: Promise<Backbone> | undefined;
    const closeAll = async () => {
      const closing = opened;
      opened = undefined;
      await (await closing)?.close();
    };
    return {
      clock,
      async open() {
        opened ??= openEmbeddedBackbone({ dataDir, clock, logger: silentLogger, failurePauseMs });
        return opened;
      },
      closeAll,
      spawn: async () => {
        await closeAll();
        return BackboneProcess.start({ kind: "embedded", dataDir, failurePauseMs });
      },
      restartServer: async () => undefined,
      async dispose() {
        await closeAll();
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  },
};
