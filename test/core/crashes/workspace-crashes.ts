import { existsSync, mkdirSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { userMessage } from "../core-under-test.ts";
import { ScratchRepository } from "../workspaces/scratch-repository.ts";
import type { DataOptions } from "./backbone-data.ts";
import { CrashingCore } from "./crashing-core.ts";

const NAMES = ["tides", "knots"];
const LINES = 4_000;

/** "write 7": two subtasks write the same file with different texts, and the answer reports both changes. */
const script = ({ lastUserText, toolNames, toolOutputs }: ModelRequest) => {
  if (toolNames.includes("complete_subtask")) {
    if (toolOutputs.length > 0) return says("written");
    return calls([{ name: "write_file", arguments: { path: "harbour.md", content: contentOf(lastUserText) } }]);
  }
  if (lastUserText.startsWith("[results of")) {
    return says(lastUserText.match(/(?<=### )\w+(?= \()|\d+ files? changed[^.]*/g)?.join(" ") ?? lastUserText);
  }
  if (toolOutputs.length > 0) return says("on it");
  const tasks = NAMES.map((name) => ({ name, prompt: `${name} ${lastUserText}` }));
  return calls([{ name: "spawn_parallel_subtasks", arguments: { tasks } }]);
};

const contentOf = (text: string): string => `${text}\n`.repeat(LINES);

const crashes: readonly (readonly [at: string, nth: number])[] = [
  ["subtask.claimed", 1],
  ["workspace.opened", 1],
  ["workspace.closed", 1],
  ["subtask.ended", 1],
];

/** A `kill -9` at every step of work on a repository: changes are reported once, and no worktree is left over. */
export const workspaceCrashes = (kind: DataOptions["kind"]): void => {
  describe(`given a core on ${kind} that crashes while its subtasks work on a repository (S11, S12)`, () => {
    let core: CrashingCore;
    let repository: ScratchRepository;
    beforeAll(async () => {
      repository = new ScratchRepository();
      mkdirSync(repository.worktrees);
      core = await CrashingCore.deploy(kind, script);
      core.workspace = repository.workspaces().options;
    });
    afterAll(async () => {
      await core.dispose();
      repository.remove();
    });

    const answered = async (text: string): Promise<void> => {
      const isAnswer = ({ kind, correlationId, origin }: AgentReply) =>
        kind === "final" && correlationId === undefined && origin?.promptSummary === text;
      const replies = await core.received.until((all) => all.some(isAnswer));
      const changes = NAMES.map((name) => `${name} 1 file changed, +${LINES} −0 (harbour`).join(" ");
      expect(replies.find(isAnswer)?.markdown).toBe(changes);
    };

    it.each(crashes)("when it crashes at %s, then the next process reports their changes", async (at, nth) => {
      const text = `write ${at}`;
      const crashing = await core.running();
      await crashing.crashAt(at, nth);
      await core.receive(userMessage(text, text));
      await crashing.exited;
      await core.running();
      await answered(text);
    });

    it("when it crashes while a file is written, then the next process writes the whole file", async () => {
      const crashing = await core.running();
      const isWriting = fileWrittenIn(repository.worktrees);
      await core.receive(userMessage("write half", "write half"));
      await isWriting;
      await crashing.kill();
      await core.running();
      await answered("write half");
    });

    it("when all work has ended, then every worktree belongs to a subtask and has its whole text", () => {
      const worktrees = readdirSync(repository.worktrees);
      expect(worktrees).toHaveLength((crashes.length + 1) * NAMES.length);
      expect(repository.git("worktree", "list").trim().split("\n")).toHaveLength(worktrees.length + 1);
      const written = worktrees.map((id) => repository.git("show", `mooring/${id}:harbour.md`));
      const texts = [...crashes.map(([at]) => `write ${at}`), "write half"];
      const expected = texts.flatMap((text) => NAMES.map((name) => contentOf(`${name} ${text}`)));
      expect(written.sort()).toEqual(expected.sort());
    });

    it("when the worktrees have expired and it crashes while it removes them, then the next process removes the rest", async () => {
      core.workspace = repository.workspaces({ keepDays: 0 }).options;
      await (await core.running()).kill();
      const begun = fewerThan(repository.worktrees, readdirSync(repository.worktrees).length);
      const crashing = await core.running();
      await begun;
      await crashing.kill();
      const over = fewerThan(repository.worktrees, 1);
      await core.running();
      await over;
      // Discarding removes the branch before the folder.
      expect(repository.git("branch", "--list", "mooring/*")).toBe("");
    });
  });
};

/** Resolves when a new worktree has the file, possibly before the whole text is written. */
const fileWrittenIn = (folder: string): Promise<void> =>
  new Promise((resolve) => {
    const known = new Set(readdirSync(folder));
    const outer = watch(folder, (_, name) => {
      if (name === null || known.has(name)) return;
      known.add(name);
      const inner = watch(join(folder, name), check);
      function check() {
        if (!existsSync(join(folder, name ?? "", "harbour.md"))) return;
        inner.close();
        outer.close();
        resolve();
      }
      check();
    });
  });

const fewerThan = (folder: string, count: number): Promise<void> =>
  new Promise((resolve) => {
    const watcher = watch(folder, check);
    function check() {
      if (readdirSync(folder).length >= count) return;
      watcher.close();
      resolve();
    }
    check();
  });
