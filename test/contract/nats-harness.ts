import { openNatsBackbone } from "../../core/backbone/nats/open-nats-backbone.ts";
import type { Backbone } from "../../core/contract/ports/backbone.ts";
import { silentLogger } from "../../core/contract/ports/logger.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { SkewedClock } from "../fakes/skewed-clock.ts";
import type { BackboneHarness } from "./backbone-harness.ts";
import { BackboneProcess } from "./backbone-process.ts";

const OPTIONS = { prefix: "test", leaseMs: 1_000, failurePauseMs: 2 };

const harnessWith = (options: typeof OPTIONS & { partitions?: number }): BackboneHarness => ({
  name: "nats",
  manyProcesses: true,
  hasServer: true,
  async deploy() {
    const server = await NatsServer.start();
    const clock = new SkewedClock();
    const opened = new Set<Backbone>();
    const closeAll = async () => {
      await Promise.all([...opened].map((backbone) => backbone.close()));
      opened.clear();
    };
    return {
      clock,
      async open() {
        const backbone = await openNatsBackbone({ ...options, servers: [server.url], clock, logger: silentLogger });
        opened.add(backbone);
        return backbone;
      },
      closeAll,
      spawn: () => BackboneProcess.start({ ...options, kind: "nats", servers: [server.url] }),
      async restartServer() {
        await server.kill();
        await server.restart();
      },
      async dispose() {
        await closeAll();
        await server.stop();
      },
    };
  },
});

/** Few partitions: the server creates a consumer for each partition of each durable, which takes most of its time. */
export const natsHarness = harnessWith({ ...OPTIONS, partitions: 4 });

/** The default number of partitions, as the benchmark measures it. */
export const natsHarnessAsShipped = harnessWith(OPTIONS);
