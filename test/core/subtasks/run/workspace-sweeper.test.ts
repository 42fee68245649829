import { existsSync, readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Subtask } from "../../../../core/contract/messages/subtask.ts";
import { silentLogger } from "../../../../core/contract/ports/logger.ts";
import { WorkspaceSweeper } from "../../../../core/subtasks/run/workspace-sweeper.ts";
import { WatchedClock } from "../../../fakes/watched-clock.ts";
import { ScratchRepository } from "../../workspaces/scratch-repository.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const daysAgo = (days: number) => new Date(NOW - days * 24 * 60 * 60_000).toISOString();

let repository: ScratchRepository;
beforeEach(() => {
  repository = new ScratchRepository();
});
afterEach(() => repository.remove());

describe("given worktrees of different ages", () => {
  it("when they are swept, then running ones, recent ones and foreign folders stay (S12)", async () => {
    const workspaces = repository.workspaces({ keepDays: 7 });
    const states: Record<string, Partial<Subtask> | undefined> = {
      "subtask-00000001": { status: "running", createdAt: daysAgo(30) },
      "subtask-00000002": { status: "completed", createdAt: daysAgo(9), completedAt: daysAgo(6) },
      "subtask-00000003": { status: "failed", createdAt: daysAgo(9), completedAt: daysAgo(8) },
      "subtask-00000004": undefined,
      "foreign-folder": undefined,
    };
    for (const id of Object.keys(states)) await workspaces.open({ id, name: id, workspace: undefined });
    const clock = new WatchedClock(NOW);
    const subtask = async (id: string) => states[id] as Subtask | undefined;
    const sweeper = new WorkspaceSweeper(workspaces, { clock, logger: silentLogger, subtask });
    await sweeper.sweep();
    const remaining = ["foreign-folder", "subtask-00000001", "subtask-00000002"];
    expect(readdirSync(repository.worktrees).sort()).toEqual(remaining);
    expect(repository.git("branch", "--list", "mooring/*").match(/mooring\/\S+/g)).toEqual(
      remaining.map((id) => `mooring/${id}`),
    );
    sweeper.start();
    await clock.passNext(60 * 60_000);
    states["subtask-00000001"] = undefined;
    await clock.passNext(60 * 60_000);
    await sweeper.stop();
    expect(existsSync(workspaces.pathOf({ id: "subtask-00000001" }))).toBe(false);
  });
});
