import { afterEach, describe, expect, it } from "vitest";
import { ModelFailed } from "../../../core/model/model-failed.ts";
import type { StepRequest } from "../../../core/model/step.ts";
import { historyKey, sessionStateKey } from "../../../core/sessions/session-window.ts";
import type { Answer } from "../../fakes/scripted-model.ts";
import { CoreUnderTest, type TestOptions } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const isSummary = ({ tools }: StepRequest) => tools.length === 0;
const start = async (summary: Answer, options: TestOptions) => {
  core = await CoreUnderTest.start((request, number) => (isSummary(request) ? summary : `answer ${number}`), options);
};
const lastMessages = () => core.model.requests.items.filter((request) => !isSummary(request)).at(-1);
const state = async (sessionId: string | null) =>
  (await core.backbone.store.get(sessionStateKey(sessionId ?? "")))?.value;
const compacted = async (sessionId: string | null, through: number) => {
  while ((await state(sessionId))?.compactedThrough !== through) await new Promise(setImmediate);
};

describe("given a session that exceeds its window", () => {
  it("when it has too many turns, then the older half becomes a summary and the entries stay", async () => {
    await start("they counted", { maxWindowEntries: 4 });
    for (const n of [1, 2, 3, 4, 5]) await core.ask(`m-${n}`, `text ${n}`);
    const { sessionId } = await core.replyTo("m-5");
    await compacted(sessionId, 3);
    await core.ask("m-6", "text 6");
    expect(lastMessages()?.system).toContain("they counted");
    expect(lastMessages()?.messages.flatMap((message) => (message.role === "user" ? message.text : []))).toEqual([
      "text 4",
      "text 5",
      "text 6",
    ]);
    expect(await core.backbone.store.get(historyKey(sessionId ?? "", 0))).toBeDefined();
    expect(await core.backbone.store.get(historyKey(sessionId ?? "", 5))).toBeDefined();
  });

  it("when it has too much text, then it is compacted too", async () => {
    await start("much was said", { agent: { contextTokens: 1_000 } });
    await core.ask("m-1", "a".repeat(1_500));
    const { sessionId } = await core.ask("m-2", "b".repeat(800));
    await compacted(sessionId, 1);
    await core.ask("m-3", "c");
    expect(lastMessages()?.messages).toHaveLength(3);
  });

  it("when the model cannot summarise it, then the summary consists of excerpts", async () => {
    await start(new ModelFailed("refused", "no"), { maxWindowEntries: 2 });
    for (const n of [1, 2, 3]) await core.ask(`m-${n}`, `text ${n}`);
    const { sessionId } = await core.replyTo("m-3");
    await compacted(sessionId, 2);
    expect((await state(sessionId))?.summary).toBe(
      "Person: text 1\nAssistant: answer 1\nPerson: text 2\nAssistant: answer 2",
    );
  });

  it("when another process continues it, then that process starts with the summary", async () => {
    await start("they counted", { maxWindowEntries: 4 });
    for (const n of [1, 2, 3, 4, 5]) await core.ask(`m-${n}`, `text ${n}`);
    await compacted((await core.replyTo("m-5")).sessionId, 3);
    await core.stopCore();
    const next = await core.startCore();
    await core.ask("m-6", "text 6");
    await next.stop();
    expect(lastMessages()?.system).toContain("they counted");
    expect(lastMessages()?.messages).toHaveLength(5);
  });
});
