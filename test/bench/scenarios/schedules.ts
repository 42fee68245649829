import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NatsServer } from "../../fakes/nats-server.ts";
import type { Side } from "../measure.ts";
import type { Scenario } from "../scenario.ts";
import { ServerProcess } from "../servers/server-process.ts";

const MANY = 100_000;
const AT_ONCE = "1000";

/** A core on data with many schedules, and one on data without schedules. */
class Sides {
  readonly #argsOf: (side: Side) => string[];
  readonly #running = new Map<Side, ServerProcess>();

  constructor(argsOf: (side: Side) => string[]) {
    this.#argsOf = argsOf;
  }

  /** Restarts a side; resolves to the duration in milliseconds. */
  async start(side: Side): Promise<number> {
    await this.#running.get(side)?.stop();
    const begun = performance.now();
    this.#running.set(side, await ServerProcess.start("schedules", ...this.#argsOf(side)));
    return performance.now() - begun;
  }

  ask(side: Side, question: string, about = ""): Promise<number> {
    return this.#running.get(side)?.ask(question, about) ?? Promise.resolve(Number.NaN);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.values()].map((server) => server.stop()));
  }
}

/** Schedules compared with none: they must cost almost nothing until they are due. */
export const schedules: Scenario = {
  name: "schedules, 100,000 beside none",
  aim: "no aim",
  long: true,
  async *prepare(quick) {
    const many = quick ? MANY / 10 : MANY;
    for (const kind of ["embedded", "nats"] as const) {
      const dataDir = await mkdtemp(join(tmpdir(), "mooring-bench-"));
      const server = kind === "nats" ? await NatsServer.start() : undefined;
      const sides = new Sides((side) => [join(dataDir, side), ...(server ? [server.url, `bench-${side}`] : [])]);
      const compare = (what: string, unit: "ms" | "kB", aim: string, ask: (side: Side) => Promise<number>) => ({
        name: `schedules, ${many} beside none: ${what} (${kind})`,
        unit,
        aim,
        steady: true,
        product: () => ask("product"),
        floor: () => ask("floor"),
        cpu: (side: Side) => sides.ask(side, "cpu"),
      });
      await Promise.all([sides.start("product"), sides.start("floor")]);
      await sides.ask("product", "fill", String(many));
      // A new process, so the CPU time of this one does not count.
      yield { ...compare("start to ready", "ms", "1 s more", (side) => sides.start(side)), cpu: async () => 0 };
      yield compare("CPU of its first 3 s", "ms", "no aim", (side) => sides.ask(side, "idle"));
      yield compare("memory in use", "kB", "< 100 MB", async (side) => (await sides.ask(side, "memory")) / 1_000);
      yield compare("1000 due at once", "ms", "< 5 s", (side) => sides.ask(side, "burst", AT_ONCE));
      await sides.stop();
      await server?.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
};
