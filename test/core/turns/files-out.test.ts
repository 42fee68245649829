import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { MAX_REPLY_FILES } from "../../../core/contract/file-ref.ts";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { Tool } from "../../../core/contract/tool.ts";
import { readFile } from "../../../core/files/index.ts";
import { ModelFailed } from "../../../core/model/index.ts";
import { Rights } from "../../../core/rights/rights.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { CoreUnderTest } from "../core-under-test.ts";
import { type Asked, delegates, roles, spawns } from "../subtasks/delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

/** Returns the files that its input names, with their names as content. */
const draw: Tool<{ names: string[] }> = {
  name: "draw",
  description: "Draws pictures",
  input: z.object({ names: z.array(z.string()) }),
  needs: "tool:draw",
  repeatable: true,
  run: async ({ names }) => ({
    text: "drawn",
    files: names.map((name) => ({ name, mediaType: "image/png", bytes: Buffer.from(name) })),
  }),
};
const draws = (...names: string[]) => calls({ name: "draw", input: { names } });
const options = {
  agent: {
    rights: new Rights({ member: ["default", "tool:draw"] }),
    toolSource: { offer: async () => ({ tools: [draw as Tool], unavailable: [] }) },
  },
};
const namesIn = ({ files = [] }: AgentReply) => files.map(({ name }) => name);
const unsolicited = async () =>
  (await core.replies.until((items) => items.some((reply) => isFinal(reply)))).find(isFinal) as AgentReply;
const isFinal = ({ kind, correlationId }: AgentReply) => kind === "final" && correlationId === undefined;

describe("given tools that return files (M3)", () => {
  it("when a turn calls one, then the answer has the files by reference, and their bytes are stored", async () => {
    core = await CoreUnderTest.start([draws("a.png", "../etc/b\u202e.png"), draws("c.png"), "done"], options);
    const reply = await core.ask("m-1", "draw");
    expect(namesIn(reply)).toEqual(["a.png", "b .png", "c.png"]);
    expect(JSON.stringify(reply)).not.toContain(Buffer.from("a.png").toString("base64"));
    const [first] = reply.files ?? [];
    expect(Buffer.from((first && (await readFile(core.backbone.store, first))) ?? "").toString()).toBe("a.png");
  });

  it("when there are more than fit, then the rest is named in the text", async () => {
    const names = Array.from({ length: MAX_REPLY_FILES + 1 }, (_, index) => `${index}.png`);
    core = await CoreUnderTest.start([draws(...names), "done"], options);
    const reply = await core.ask("m-1", "draw");
    expect(namesIn(reply)).toEqual(names.slice(0, MAX_REPLY_FILES));
    expect(reply.markdown).toBe(
      `done\n\n_Not sent, because one answer has a limited number and size of files: ${MAX_REPLY_FILES}.png_`,
    );
  });

  it("when a turn says nothing, then it sends no files", async () => {
    core = await CoreUnderTest.start([draws("a.png"), calls({ name: "nothing_to_say" })], options);
    expect(await core.ask("m-1", "draw")).not.toHaveProperty("files");
  });
});

describe("given subtasks whose tools return files (M3)", () => {
  /** Draws a picture of its task, then ends with a text or with the tool. */
  const subagent =
    (ends: "text" | "tool") =>
    ({ text, outputs }: Asked) => {
      if (outputs.length === 0) return draws(`${text.replace("do ", "")}.png`);
      return ends === "text"
        ? "drawn"
        : calls({ name: "complete_subtask", input: { status: "success", output: "ok" } });
    };

  it.each(["text", "tool"] as const)(
    "when they end with a %s, then the consolidated answer has the files of all, in the order of the members",
    async (ends) => {
      const script = roles({ primary: delegates(["a", "b"], "on it"), subagent: subagent(ends) });
      core = await CoreUnderTest.start(script, options);
      expect(namesIn(await core.ask("m-1", "draw a and b"))).toEqual([]);
      expect(namesIn(await unsolicited())).toEqual(["a.png", "b.png"]);
    },
  );

  it("when the model cannot summarise them, then the unedited results have the files too", async () => {
    const continuation = () => async () => {
      throw new ModelFailed("refused", "no answer");
    };
    const script = roles({ primary: delegates(["a"], "on it"), subagent: subagent("text"), continuation });
    core = await CoreUnderTest.start(script, options);
    await core.ask("m-1", "draw a");
    const reply = await unsolicited();
    expect(namesIn(reply)).toEqual(["a.png"]);
    expect(reply.markdown).toContain("a.png");
  });

  it("when a turn waits for one, then its own answer has the file", async () => {
    const primary = ({ outputs }: Asked) => (outputs.length === 0 ? spawns(["a"], { blocking: true }) : "here");
    core = await CoreUnderTest.start(roles({ primary, subagent: subagent("text") }), options);
    expect(namesIn(await core.ask("m-1", "draw a"))).toEqual(["a.png"]);
  });
});
