import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { currentSession } from "../../../core/sessions/current-session.ts";
import { CoreUnderTest, userMessage } from "../core-under-test.ts";

let core: CoreUnderTest;
beforeEach(async () => {
  core = await CoreUnderTest.start((request) => `answer ${request.messages.length}`);
});
afterEach(() => core.dispose());

const command = (name: string) => ({ command: { name, args: "" } });
const session = () => currentSession(core.backbone.store, userMessage("", ""));

describe("given a conversation with a history", () => {
  it("when `new` comes between two messages, then exactly the later ones are in a new session (I3)", async () => {
    await Promise.all([
      core.receive(userMessage("m-1", "before")),
      core.receive(userMessage("m-2", "new", command("new"))),
      core.receive(userMessage("m-3", "after")),
    ]);
    const [before, notice, after] = await core.replies.count(3);
    expect(before).toMatchObject({ correlationId: "m-1", markdown: "answer 1" });
    expect(notice).toMatchObject({ correlationId: "m-2", kind: "notice", origin: null });
    expect(after).toMatchObject({ correlationId: "m-3", markdown: "answer 1" });
    expect(after?.sessionId).not.toBe(before?.sessionId);
    expect(notice?.sessionId).toBe(after?.sessionId);
    expect(await session()).toBe(after?.sessionId);
  });

  it("when an old `new` comes again, then the session after it stays", async () => {
    await core.ask("m-1", "", command("new"));
    await core.ask("m-2", "", command("new"));
    const latest = await session();
    await core.receive(userMessage("m-1", "", command("new")), "m-1 again");
    await core.ask("m-3", "hello");
    expect(await session()).toBe(latest);
  });

  it("when somebody only writes the word new, then it is a message like any other", async () => {
    const before = await session();
    expect(await core.ask("m-1", "new")).toMatchObject({ kind: "final" });
    expect(await session()).toBe(before);
  });

  it("when `help` comes, then it is answered without the model and without an anchor (O7)", async () => {
    const reply = await core.ask("m-1", "", command("help"));
    expect(reply).toMatchObject({ kind: "notice", origin: null, correlationId: "m-1" });
    expect(reply.markdown).toContain("`/new`");
    expect(core.model.requests.items).toHaveLength(0);
  });

  it("when a command that nobody else has seen comes in a room, then its answer is the caller's alone (I3)", async () => {
    const conversation = { channel: "paper", room: "lobby", kind: "shared" } as const;
    const seen = await core.ask("m-1", "", { ...command("help"), conversation });
    expect(seen.onlyFor).toBeUndefined();
    const unseen = await core.ask("m-2", "", { ...command("help"), conversation, unseen: true });
    expect(unseen.onlyFor).toBe(unseen.audience.accountId);
  });

  it("when the command is not known, then it says so, and what is", async () => {
    const reply = await core.ask("m-1", "", command("dance <@U1>"));
    expect(reply.markdown).toMatch(/^I don't know the command "dance U1". I know `\/help`, .*`\/cancel`, .*`\/new`/);
  });

  it("when the name is a slip, then the one that was meant is named", async () => {
    const reply = await core.ask("m-1", "", command("hlep"));
    expect(reply.markdown).toBe('I don\'t know the command "hlep". Did you mean `/help`?');
  });
});
