import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { prefixOf } from "../../../core/contract/ports/store.ts";
import type { MessageFields } from "../../fakes/sample-message.ts";
import { CoreUnderTest, userMessage } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const command = (name: string, args = ""): MessageFields => ({ command: { name, args } });
const deletion = command("delete-conversation", "confirm");

/** Everything that the store has of these kinds, as text. */
const stored = async (...names: string[]): Promise<string> => {
  const found: unknown[] = [];
  for (const name of names) {
    const all = prefixOf({ name, schema: z.unknown() });
    for await (const { value } of core.backbone.store.list(all)) found.push(value);
  }
  return JSON.stringify(found);
};
const OF_TURNS = ["history", "session-state", "turns", "turn-responses", "turn-results", "working-memory"];

describe("given a private conversation that a person deletes (C5)", () => {
  it("when it is deleted, then the store has none of its words, also not of earlier sessions", async () => {
    core = await CoreUnderTest.start(["first secret answer", "second secret answer", "hello again"]);
    await core.ask("m-1", "first secret question");
    await core.ask("m-2", "", command("new"));
    await core.ask("m-3", "second secret question");
    expect(await stored(...OF_TURNS)).toContain("second secret answer");
    const { markdown, sessionId } = await core.ask("m-4", "", deletion);
    expect(markdown).toBe("I have deleted our conversation.");
    expect(await stored(...OF_TURNS)).not.toContain("secret");
    const next = await core.ask("m-5", "hello");
    expect(next.sessionId).toBe(sessionId);
    expect(JSON.stringify(core.model.requests.items.at(-1))).not.toContain("secret");
  });

  it("when a person types the command, then it asks first and deletes nothing, and its button deletes", async () => {
    core = await CoreUnderTest.start(["secret answer"]);
    await core.ask("m-1", "secret question");
    const { markdown, actions = [] } = await core.ask("m-2", "", command("delete-conversation"));
    expect(markdown).toContain("This cannot be undone. `/delete-conversation confirm` deletes it.");
    expect(await stored("history")).toContain("secret answer");
    await core.ask("m-3", "", command("delete-conversation", "please"));
    expect(await stored("history")).toContain("secret answer");
    const { name = "", value = "" } = actions[0] ?? {};
    expect((await core.ask("m-4", "", command(name, value))).markdown).toBe("I have deleted our conversation.");
    expect(await stored(...OF_TURNS)).not.toContain("secret");
  });

  it("when the command is repeated after a crash, then it deletes nothing of the time since", async () => {
    core = await CoreUnderTest.start(["a secret answer", "a later answer", "the last"]);
    await core.ask("m-1", "hello");
    await core.ask("m-2", "", deletion);
    await core.ask("m-3", "later");
    await core.receive(userMessage("m-2", "", deletion), "again");
    await core.ask("m-4", "last");
    expect(JSON.stringify(core.model.requests.items.at(-1))).toContain("a later answer");
  });

  it("when another conversation of the person is deleted, then this one stays", async () => {
    core = await CoreUnderTest.start(["kept answer", "other answer"]);
    const other = { conversation: { channel: "web", room: "ann", thread: "c1-x", kind: "private" as const } };
    await core.ask("m-1", "hello");
    await core.ask("m-2", "hello there", other);
    await core.ask("m-3", "", { ...deletion, ...other });
    expect(await stored("history")).toContain("kept answer");
    expect(await stored("history")).not.toContain("other answer");
  });

  it("when it is a shared conversation, then nothing is deleted", async () => {
    core = await CoreUnderTest.start(["an answer for all"]);
    const shared = { conversation: { channel: "web", room: "team", kind: "shared" as const } };
    await core.ask("m-1", "hello", shared);
    expect((await core.ask("m-2", "", { ...deletion, ...shared })).markdown).toContain("others take part");
    expect(await stored("history")).toContain("an answer for all");
  });
});
