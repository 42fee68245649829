import { existsSync, mkdirSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { userMessage } from "../core-under-test.ts";
import { ScratchRepository } from "../workspaces/scratch-repository.ts";
import type { PlaceOptions } from "./backbone-place.ts";
import { MortalCore } from "./mortal-core.ts";

const NAMES = ["tides", "knots"];
const LINES = 4_000;

/** "write 7": two subtasks write the same file, each its own words, and the answer tells of both. */
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

const deaths: readonly (readonly [at: string, nth: number])[] = [
  ["subtask.claimed", 1],
  ["workspace.opened", 1],
  ["workspace.closed", 1],
  ["subtask.ended", 1],
];

/** A process that starts on a busy machine takes its time. */

/** A `kill -9` at every step of work on a repository: what was changed is told once, and no worktree is left over. */
export const workspaceDeaths = (kind: PlaceOptions["kind"]): void => {
  describe(`given a core on ${kind} that dies while its subtasks work on a repository (S11, S12)`, () => {
    let core: MortalCore;
    let repository: ScratchRepository;
    beforeAll(async () => {
      repository = new ScratchRepository();
      mkdirSync(repository.worktrees);
      core = await MortalCore.deploy(kind, script);
      core.workspace = repository.workspaces().options;
    });
    afterAll(async () => {
      await core.dispose();
      repository.remove();
    });

    const answered = async (text: string): Promise<void> => {
      const isAnswer = ({ kind, correlationId, origin }: AgentReply) =>
        kind === "final" && correlationId === undefined && origin?.promptSummary === text;
      const heard = await core.heard.until((replies) => replies.some(isAnswer));
      const told = NAMES.map((name) => `${name} 1 file changed, +${LINES} −0 (harbour`).join(" ");
      expect(heard.find(isAnswer)?.markdown).toBe(told);
    };

    it.each(deaths)("when it dies at %s, then the next one brings what they have changed", async (at, nth) => {
      const text = `write ${at}`;
      const dying = await core.alive();
      await dying.dieAt(at, nth);
      await core.receive(userMessage(text, text));
      await dying.exited;
      await core.alive();
      await answered(text);
    });

    it("when it dies while a file is written, then the next one writes the whole of it", async () => {
      const dying = await core.alive();
      const isWriting = fileWrittenIn(repository.worktrees);
      await core.receive(userMessage("write half", "write half"));
      await isWriting;
      await dying.kill();
      await core.alive();
      await answered("write half");
    });

    it("when all is over, then every worktree is that of a subtask, with all of its words", () => {
      const worktrees = readdirSync(repository.worktrees);
      expect(worktrees).toHaveLength((deaths.length + 1) * NAMES.length);
      expect(repository.git("worktree", "list").trim().split("\n")).toHaveLength(worktrees.length + 1);
      const written = worktrees.map((id) => repository.git("show", `mooring/${id}:harbour.md`));
      const texts = [...deaths.map(([at]) => `write ${at}`), "write half"];
      const wanted = texts.flatMap((text) => NAMES.map((name) => contentOf(`${name} ${text}`)));
      expect(written.sort()).toEqual(wanted.sort());
    });

    it("when they are no longer kept and it dies while it removes them, then the next one removes the rest", async () => {
      core.workspace = repository.workspaces({ keepDays: 0 }).options;
      await (await core.alive()).kill();
      const begun = fewerThan(repository.worktrees, readdirSync(repository.worktrees).length);
      const dying = await core.alive();
      await begun;
      await dying.kill();
      const over = fewerThan(repository.worktrees, 1);
      await core.alive();
      await over;
      // The branch goes before the folder; what git notes about it, after.
      expect(repository.git("branch", "--list", "mooring/*")).toBe("");
    });
  });
};

/** Resolves when some worktree has the file; no later than when it is whole. */
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
