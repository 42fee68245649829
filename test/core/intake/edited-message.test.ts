import { afterEach, describe, expect, it } from "vitest";
import { noteEdit } from "../../../core/intake/resolve-turn.ts";
import type { StepResponse } from "../../../core/model/step.ts";
import { says } from "../../fakes/scripted-model.ts";
import { CoreUnderTest, userMessage } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const waiting = userMessage("m-2", "meet at nine", { editable: true });
const edit = (text: string, at: string) =>
  noteEdit(core.backbone.store, { ...waiting, kind: "edit", text, sentAt: at });
const prompts = () => core.model.requests.items.map(({ messages }) => messages.at(-1));

/** The turn of the first message runs, and the second message waits for its end. */
const startBusy = async (checkpoint: (name: string) => Promise<void> = async () => undefined) => {
  let end: (response: StepResponse) => void = () => undefined;
  const working = new Promise<StepResponse>((resolve) => {
    end = resolve;
  });
  core = await CoreUnderTest.start([() => working, "fine", "fine"], { checkpoint });
  await core.receive(userMessage("m-1", "long work"));
  await core.model.requests.count(1);
  await core.receive(waiting);
  return () => end(says("done"));
};

describe("given a message that waits for an earlier turn", () => {
  it("when it is edited, then the model gets the newest text, and the origin has its summary", async () => {
    const end = await startBusy();
    await edit("meet at eleven", "2026-03-10T21:14:09.000Z");
    await edit("meet at ten", "2026-03-10T21:14:08.000Z");
    end();
    const reply = await core.replyTo("m-2");
    expect(prompts()[1]).toMatchObject({ role: "user", text: "meet at eleven" });
    expect(reply.origin).toMatchObject({ promptSummary: "meet at eleven" });
  });

  it("when it is edited after its turn has begun, then the edit is ignored", async () => {
    const end = await startBusy();
    end();
    await core.replyTo("m-2");
    await edit("meet at ten", "2026-03-10T21:15:00.000Z");
    await core.receive(waiting, "again");
    await core.ask("m-3", "and?");
    expect(prompts().map((message) => message?.role === "user" && message.text)).toEqual([
      "long work",
      "meet at nine",
      "and?",
    ]);
  });

  it("when the process crashes in its turn, then the retry uses the text of the first run", async () => {
    let opened = 0;
    const end = await startBusy(async (name) => {
      if (name !== "turn.opened" || ++opened !== 2) return;
      await edit("meet at noon", "2026-03-10T21:15:00.000Z");
      throw new Error("simulated crash");
    });
    await edit("meet at ten", "2026-03-10T21:14:08.000Z");
    end();
    await core.replyTo("m-2");
    expect(opened).toBe(3);
    expect(prompts()[1]).toMatchObject({ role: "user", text: "meet at ten" });
  });
});

describe("given a platform that reports no edits", () => {
  it("when a message arrives, then no edit is looked up", async () => {
    core = await CoreUnderTest.start(["fine"]);
    await edit("meet at ten", "2026-03-10T21:14:08.000Z");
    await core.ask("m-2", "meet at nine");
    expect(prompts()).toMatchObject([{ role: "user", text: "meet at nine" }]);
  });
});
