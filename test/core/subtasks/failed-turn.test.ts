import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Tool } from "../../../core/contract/tool.ts";
import { readOwner } from "../../../core/subtasks/owner/owner-record.ts";
import { Gate } from "../../fakes/model-answer.ts";
import { overrideBackbone } from "../../fakes/override-backbone.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { AGENT, type CoreUnderTest, userMessage } from "../core-under-test.ts";
import { backgroundTask, counted, delegates, roles, startDelegating, untilFinals } from "./delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

describe("given a turn that has delegated and cannot end normally", () => {
  it("when its message becomes a dead letter, then its text is published and the results are still answered (B3)", async () => {
    let broken = 0;
    core = await startDelegating(roles({ primary: delegates(["a"], "on it"), continuation: () => "the answer" }), {
      checkpoint: (name) => {
        if (name === "reply.before" && ++broken <= 5) throw new Error("simulated failure");
      },
    });
    await core.receive(userMessage("m-1", "go"));
    for (const pauseMs of [2, 4, 8, 16]) await core.clock.passNext(pauseMs);
    expect(await core.replyTo("m-1")).toMatchObject({ kind: "final", markdown: "on it" });
    expect((await untilFinals(core, 2))[1]).toMatchObject({ markdown: "the answer" });
  });

  it("when the message of a schedule becomes a dead letter, then the suppressed text stays suppressed and only the answer is published (B6)", async () => {
    let broken = 0;
    core = await startDelegating(
      roles({ primary: delegates(["a"], "not for people"), continuation: () => "the answer" }),
      {
        checkpoint: (name) => {
          if (name === "reply.before" && ++broken <= 5) throw new Error("simulated failure");
        },
      },
    );
    await core.receive(backgroundTask("run-1", "go"));
    for (const pauseMs of [2, 4, 8, 16]) await core.clock.passNext(pauseMs);
    expect((await untilFinals(core, 1)).map(({ markdown }) => markdown)).toEqual(["the answer"]);
  });

  it("when the turn times out in the step in which it delegates, then the results are still answered (B3, B6)", async () => {
    const stuck: Tool = {
      name: "stuck",
      description: "",
      input: z.object({}),
      needs: "talk",
      repeatable: true,
      deadlineMs: 120_000,
      run: () => new Promise(() => {}),
    };
    const spawning = { name: "spawn_subtask", input: { name: "a", prompt: "do a" }, id: "spawn" };
    core = await startDelegating(
      roles({ primary: () => calls(spawning, { name: "stuck", id: "stuck" }), continuation: () => "the answer" }),
      { tools: [stuck], turnDeadlineMs: 60_000 },
    );
    await core.receive(backgroundTask("run-1", "go"));
    await counted(core, "subtasks_total mooring completed", 1);
    await core.clock.passNext(60_000);
    expect((await untilFinals(core, 1)).map(({ markdown }) => markdown)).toEqual(["the answer"]);
  });

  it("when the turn times out before its subtask is reserved, then the subtask never runs (S9, B3)", async () => {
    const [reached, storing] = [new Gate(), new Gate()];
    core = await startDelegating(roles({ primary: delegates(["a"], "on it"), continuation: () => "the answer" }), {
      turnDeadlineMs: 60_000,
      wrap: (backbone) =>
        overrideBackbone(backbone, {
          store: {
            get: (key, known) => backbone.store.get(key, known),
            list: (prefix) => backbone.store.list(prefix),
            delete: (key, options) => backbone.store.delete(key, options),
            put: async (key, value, options) => {
              if (key.collection.name === "work-of") {
                reached.release();
                await storing.opened;
              }
              return backbone.store.put(key, value, options);
            },
          },
        }),
    });
    await core.receive(userMessage("m-1", "go"));
    await reached.opened;
    await core.clock.passNext(60_000);
    const { outcome, sessionId } = await core.replyTo("m-1");
    expect(outcome).toBe("failed");
    storing.release();
    await core.ask("last", "", { command: { name: "help", args: "" } });
    const owner = { tenant: "default", agent: AGENT, ownerId: sessionId ?? "" };
    expect((await readOwner(core.backbone.store, owner)).batches).toEqual({});
    expect(core.model.requests.items).toHaveLength(1);
  });
});
