import { readdir } from "node:fs/promises";
import { messageOf } from "../../contract/app-error.ts";
import { hasEnded, type Subtask } from "../../contract/messages/subtask.ts";
import type { Consumer } from "../../contract/ports/bus.ts";
import type { Clock, Timer } from "../../contract/ports/clock.ts";
import type { Logger } from "../../contract/ports/logger.ts";
import type { Store } from "../../contract/ports/store.ts";
import type { Workspaces } from "../../workspaces/index.ts";
import { readSubtask } from "../record/subtask-record.ts";

const INTERVAL_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

interface SweeperDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Resolves to undefined if the record has expired. */
  subtask(id: string): Promise<Subtask | undefined>;
}

/** Removes the worktrees of expired work at the start and every hour, also those that a crash left. */
export class WorkspaceSweeper {
  readonly #workspaces: Workspaces;
  readonly #deps: SweeperDeps;
  #timer: Timer | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(workspaces: Workspaces, deps: SweeperDeps) {
    this.#workspaces = workspaces;
    this.#deps = deps;
  }

  start(): void {
    this.#sweeping = this.sweep().finally(() => {
      if (!this.#stopped) this.#timer = this.#deps.clock.after(INTERVAL_MS, () => this.start());
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#sweeping;
  }

  async sweep(): Promise<void> {
    const { folder } = this.#workspaces.options;
    for (const id of await readdir(folder).catch(() => [])) {
      if (this.#stopped || !/^subtask-[0-9a-f]{8}$/.test(id)) continue;
      try {
        if (this.#isOver(await this.#deps.subtask(id))) await this.#workspaces.discard({ id });
      } catch (error) {
        this.#deps.logger.warn({ subtask: id, error: messageOf(error) }, "could not remove workspace, retrying later");
      }
    }
  }

  #isOver(subtask: Subtask | undefined): boolean {
    if (subtask === undefined) return true;
    const { keepDays } = this.#workspaces.options;
    const endedAt = Date.parse(subtask.completedAt ?? subtask.createdAt);
    return hasEnded(subtask) && this.#deps.clock.now() - endedAt >= keepDays * DAY_MS;
  }
}

/** Starts a sweeper if the agent has a repository. */
export const startSweeping = (
  deps: { store: Store; clock: Clock; logger: Logger; workspaces: ReadonlyMap<string, Workspaces> },
  { tenant, name: agent }: { tenant: string; name: string },
): Consumer[] => {
  const workspaces = deps.workspaces.get(agent);
  if (workspaces === undefined) return [];
  const { clock, logger, store } = deps;
  const subtask = (id: string) => readSubtask(store, { tenant, agent, id });
  const sweeper = new WorkspaceSweeper(workspaces, { clock, logger, subtask });
  sweeper.start();
  return [{ close: () => sweeper.stop() }];
};
