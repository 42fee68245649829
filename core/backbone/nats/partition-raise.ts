import type { NatsOptions } from "./connection/nats-options.ts";
import { LayoutChange, type LayoutDeps } from "./layout-change.ts";
import { canRaise, canSplit, type DeploymentLayout } from "./partitions/index.ts";

interface PartitionRaiseDeps extends LayoutDeps {
  readonly options: Pick<NatsOptions, "clock" | "logger" | "partitions">;
}

/**
 * Raises the number of partitions to the configured one, once every consuming process is of a version that can split a
 * partition. Each owner then splits its partitions (ConsumerGroup).
 */
export class PartitionRaise {
  readonly #deps: PartitionRaiseDeps;
  readonly #change: LayoutChange;
  #isPostponed = false;

  constructor(deps: PartitionRaiseDeps) {
    this.#deps = deps;
    const { logger } = deps.options;
    this.#change = new LayoutChange({
      ...deps,
      failing: "could not raise partitions, retrying later",
      decide: async (layout, members) => {
        if (!this.#isWanted(layout)) return "done";
        if (!(await members()).every(canSplit)) return this.#postpone();
        return { ...layout, counts: [...layout.counts, deps.options.partitions] };
      },
      changed: ({ counts }) => logger.info({ partitions: counts.at(-1), before: counts.at(-2) }, "partitions raised"),
    });
  }

  start(): void {
    this.#change.start();
  }

  stop(): Promise<void> {
    return this.#change.stop();
  }

  #isWanted({ counts }: DeploymentLayout): boolean {
    const { partitions, logger } = this.#deps.options;
    const current = counts.at(-1) ?? 0;
    if (canRaise(counts, partitions)) return true;
    const fields = { configured: partitions, partitions: current };
    if (partitions < current)
      logger.warn(fields, "partitions cannot be lowered, set nats.partitions to the current number");
    // Another process has raised the number meanwhile.
    else if (partitions > current)
      logger.warn(fields, "partitions can only be raised to a multiple of the current number");
    return false;
  }

  #postpone(): "later" {
    const { partitions, logger } = this.#deps.options;
    if (!this.#isPostponed)
      logger.warn(
        { configured: partitions },
        "partitions stay as they are while a process of version 0.2 or older runs",
      );
    this.#isPostponed = true;
    return "later";
  }
}
