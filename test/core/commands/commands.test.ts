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
  it("when `new` is sent between two messages, then exactly the later ones are in a new session (I3)", async () => {
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

  it("when an old `new` is redelivered, then the current session stays", async () => {
    await core.ask("m-1", "", command("new"));
    await core.ask("m-2", "", command("new"));
    const latest = await session();
    await core.receive(userMessage("m-1", "", command("new")), "m-1 again");
    await core.ask("m-3", "hello");
    expect(await session()).toBe(latest);
  });

  it("when a person writes only the text `new`, then it is an ordinary message", async () => {
    const before = await session();
    expect(await core.ask("m-1", "new")).toMatchObject({ kind: "final" });
    expect(await session()).toBe(before);
  });

  it("when `help` is sent, then it is answered without the model and without an anchor (O7)", async () => {
    const reply = await core.ask("m-1", "", command("help"));
    expect(reply).toMatchObject({ kind: "notice", origin: null, correlationId: "m-1" });
    expect(reply.markdown).toContain("`/new`");
    expect(core.model.requests.items).toHaveLength(0);
  });

  it("when a command in a room is invisible to others, then only the caller sees its answer (I3)", async () => {
    const conversation = { channel: "paper", room: "lobby", kind: "shared" } as const;
    const seen = await core.ask("m-1", "", { ...command("help"), conversation });
    expect(seen.onlyFor).toBeUndefined();
    const unseen = await core.ask("m-2", "", { ...command("help"), conversation, unseen: true });
    expect(unseen.onlyFor).toBe(unseen.audience.accountId);
  });

  it("when the command is unknown, then the answer lists the known ones", async () => {
    const reply = await core.ask("m-1", "", command("dance <@U1>"));
    expect(reply.markdown).toMatch(/^I don't know the command "dance U1". I know `\/help`, .*`\/cancel`, .*`\/new`/);
  });

  it("when the name has a typo, then the closest command is suggested", async () => {
    const reply = await core.ask("m-1", "", command("hlep"));
    expect(reply.markdown).toBe('I don\'t know the command "hlep". Did you mean `/help`?');
  });
});
