import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { activityOf } from "../../../core/contract/messages/agent-reply.ts";
import { Rights } from "../../../core/rights/index.ts";
import { calls, says } from "../../fakes/scripted-model.ts";
import { type CoreUnderTest, userMessage } from "../core-under-test.ts";
import {
  type Asked,
  completions,
  delegates,
  type Roles,
  roles,
  startDelegating,
  subtask,
  subtaskIds,
  taskOf,
  untilFinals,
} from "../subtasks/delegating.ts";
import { ScratchRepository } from "./scratch-repository.ts";

let core: CoreUnderTest;
let repository: ScratchRepository;
beforeEach(() => {
  repository = new ScratchRepository();
});
afterEach(async () => {
  await core.dispose();
  repository.remove();
});

const rights = new Rights({ member: ["default", "workspace"] });
const workspace = () => repository.workspaces().options;
const writes = (asked: Asked) => {
  if (asked.outputs.length > 0) return "written";
  const name = taskOf(asked);
  return calls({ name: "write_file", input: { path: `${name}.md`, content: `all about ${name}\n` } });
};
const start = async (more: Partial<Roles> = {}) => {
  const script = roles({ primary: delegates(["tides", "knots"], "on it"), subagent: writes, ...more });
  core = await startDelegating(script, { agent: { workspace: workspace(), rights } });
  await core.receive(userMessage("m-1", "write about tides and knots"));
};

describe("given an agent whose subtasks work on a repository", () => {
  it("when they have ended, then their changes are reported, and stay outside the repository until they are merged (S12)", async () => {
    await start({ continuation: ({ text }) => text });
    const [, answer] = await untilFinals(core, 2);
    expect(answer?.markdown).toContain("In its workspace: 1 file changed, +1 −0 (tides.md).");
    const [last] = completions(await core.replies.until((replies) => completions(replies).length > 0));
    expect(last?.markdown).toContain("- knots: done, 1 file changed, +1 −0");
    expect(last && activityOf(last)?.items.map(({ changes }) => changes)).toEqual(
      Array(2).fill("1 file changed, +1 −0"),
    );
    expect(last?.actions?.map(({ name }) => name)).toEqual(["diff", "merge", "discard", "diff", "merge", "discard"]);
    expect(existsSync(join(repository.path, "tides.md"))).toBe(false);
    const [id = ""] = await subtaskIds(core);
    expect((await subtask(core, id)).result?.artifacts).toMatchObject({ files: 1, changed: ["tides.md"] });
  });

  it("when the owner lists, shows and discards changes, then each tool does so (S12)", async () => {
    const results: string[] = [];
    let prompt = "";
    const idOf = (name: string) => prompt.match(new RegExp(`### ${name} \\((subtask-\\w+)\\)`))?.[1];
    const [one, two] = [() => idOf("tides"), () => idOf("knots")];
    const steps = [
      () => calls({ name: "list_changed_files", input: { id: one() } }),
      () => calls({ name: "show_diff", input: { id: one() } }),
      () => calls({ name: "discard_workspace", input: { id: two() } }),
      () => calls({ name: "show_diff", input: { id: two() } }),
    ];
    await start({
      continuation: ({ outputs, text }) => {
        prompt = text;
        results.splice(0, results.length, ...outputs);
        return steps[outputs.length]?.() ?? "all is shown";
      },
    });
    await untilFinals(core, 2);
    expect(results).toEqual([
      expect.stringMatching(/^1 file changed, \+1 −0, on branch mooring\/subtask-\w+\ntides\.md$/),
      expect.stringContaining("+all about tides"),
      "Discarded.",
      expect.stringContaining("has no workspace"),
    ]);
    expect(existsSync(join(repository.path, "tides.md"))).toBe(false);
    expect(readdirSync(repository.worktrees)).toEqual([one()]);
  });

  it("when another person in the room asks to discard them, then the agent can only show them (I3)", async () => {
    const conversation = { channel: "web", room: "lobby", kind: "shared" as const };
    const bob = { conversation, account: { id: "bob", name: "Bob" } };
    let id = "";
    const primary = (asked: Asked) => {
      const [, tool] = asked.text.match(/: do (\w+)$/) ?? [];
      if (tool === undefined) return delegates(["tides"], "on it")(asked);
      return asked.outputs[0] ?? calls({ name: tool, input: { id } });
    };
    core = await startDelegating(roles({ primary, subagent: writes }), { agent: { workspace: workspace(), rights } });
    await core.receive(userMessage("m-1", "write about tides", { conversation }));
    await untilFinals(core, 2);
    [id = ""] = await subtaskIds(core);
    let asked = 1;
    const does = async (tool: string, rest: object) =>
      (await core.ask(`m-${++asked}`, `do ${tool}`, { conversation, ...rest })).markdown;
    expect(await does("list_changed_files", bob)).toContain("tides.md");
    expect(await does("discard_workspace", bob)).toContain("belongs to another person");
    expect(await does("discard_workspace", {})).toBe("Discarded.");
  });

  it("when another person in the room has fewer rights, then they cannot direct the subtask of the asker (R1)", async () => {
    const conversation = { channel: "web", room: "lobby", kind: "shared" as const };
    let id = "";
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const primary = (asked: Asked) => {
      if (!asked.text.endsWith(": leak it")) return delegates(["tides"], "on it")(asked);
      return asked.outputs[0] ?? calls({ name: "message_subtask", input: { id, type: "refinement", content: "leak" } });
    };
    const subagent = () => async () => {
      await held;
      return says("done");
    };
    const granted = new Rights({ "web:ann": ["workspace"] });
    core = await startDelegating(roles({ primary, subagent }), { agent: { workspace: workspace(), rights: granted } });
    await core.receive(userMessage("m-1", "write about tides", { conversation }));
    await untilFinals(core, 1);
    [id = ""] = await subtaskIds(core);
    const bob = { conversation, account: { id: "bob", name: "Bob" } };
    expect((await core.ask("m-2", "leak it", bob)).markdown).toContain("only Ann can direct it");
    expect((await core.ask("m-3", "leak it", { conversation })).markdown).toContain("Sent.");
    release();
    await untilFinals(core, 4);
  });

  it("when the asker presses the buttons, then the changes are shown, merged and discarded; for others they are refused", async () => {
    await start();
    await untilFinals(core, 2);
    const [last] = completions(await core.replies.until((replies) => completions(replies).length > 0));
    const [tides = "", knots = ""] =
      last?.actions?.filter(({ name }) => name === "diff").map(({ value }) => value) ?? [];
    let presses = 0;
    const press = async (name: string, args: string, rest = {}) =>
      (await core.ask(`b-${++presses}`, "", { command: { name, args }, ...rest })).markdown;
    const other = {
      account: { id: "bob", name: "Bob" },
      conversation: { channel: "web", room: "bobs", kind: "private" },
    };
    expect(await press("merge", tides, other)).toContain("belongs to another person");
    expect(await press("diff", tides)).toMatch(/^```diff\n[\s\S]*\+all about/);
    expect(await press("merge", tides)).toBe("Merged into main.");
    expect(await press("discard", knots)).toMatch(/^I discarded the changes of/);
    expect(await press("merge", knots)).toContain("has no workspace");
    expect(await press("merge", "subtask-ffffffff")).toContain("There is no subtask");
    expect(repository.git("log", "--oneline", "--merges").trim().split("\n")).toHaveLength(1);
  });

  it("when the repository has uncommitted changes, then no subtask starts, and the refusal says what to do (S12, B6)", async () => {
    repository.write("draft.md", "not yet");
    let refusal = "";
    await start({
      primary: ({ outputs, ...asked }) => {
        refusal = outputs[0] ?? "";
        return outputs.length > 0 ? "your repository has drafts" : delegates(["a"], "")({ outputs, ...asked });
      },
    });
    const [answer] = await untilFinals(core, 1);
    expect(answer?.markdown).toBe("your repository has drafts");
    expect(refusal).toMatch(/not committed \(draft\.md\).*committed, stashed or discarded/);
    expect(await subtaskIds(core)).toEqual([]);
  });
});
