import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Tool } from "../../../core/contract/tool.ts";
import { readHistory } from "../../../core/sessions/session-history.ts";
import type { Script } from "../../fakes/scripted-model.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { CoreUnderTest } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const ran: unknown[] = [];
const mail: Tool = {
  name: "send_mail",
  description: "sends a mail",
  input: z.looseObject({ to: z.string() }),
  needs: "talk",
  repeatable: false,
  async run(input) {
    ran.push(input);
    return `sent ${ran.length}`;
  },
};

const start = async (script: Script) => {
  ran.length = 0;
  core = await CoreUnderTest.start(script, { tools: [mail] });
};

/** The texts of the n-th request to the model, without tool calls. */
const textsIn = (request: number): string[] =>
  core.model.requests.items[request - 1]?.messages.flatMap((message) =>
    message.role === "tool" ? [] : message.text === "" ? [] : [message.text],
  ) ?? [];

describe("given a conversation whose person revises a message (C5)", () => {
  it("when it is revised, then the model sees neither the old version nor what followed it, also in later turns", async () => {
    await start(["one", "two", "three", "four", "five"]);
    await core.ask("m-1", "first");
    await core.ask("m-2", "second");
    await core.ask("m-3", "third");
    expect(await core.ask("m-4", "second, better", { revises: "m-2" })).toMatchObject({ markdown: "four" });
    expect(textsIn(4)).toEqual(["first", "one", "second, better"]);
    await core.ask("m-5", "next");
    expect(textsIn(5)).toEqual(["first", "one", "second, better", "four", "next"]);
  });

  it("when a version is revised once more, or the first version again, then only the newest version counts", async () => {
    await start(["one", "two", "three", "four", "five"]);
    await core.ask("m-1", "v1");
    await core.ask("m-2", "v2", { revises: "m-1" });
    await core.ask("m-3", "v3", { revises: "m-2" });
    await core.ask("m-4", "v4", { revises: "m-1" });
    await core.ask("m-5", "next");
    expect([2, 3, 4, 5].map(textsIn)).toEqual([["v2"], ["v3"], ["v4"], ["v4", "four", "next"]]);
  });

  it("when it is revised, then the history keeps every version", async () => {
    await start(["one", "two"]);
    const { sessionId } = await core.ask("m-1", "v1");
    await core.ask("m-2", "v2", { revises: "m-1" });
    const stored = await readHistory(core.backbone.store, sessionId ?? "", 0);
    expect(stored).toMatchObject([
      { text: "v1", finalText: "one" },
      { text: "v2", finalText: "two", revises: { index: 0 } },
    ]);
  });

  it("when the same tool call would follow, then it is not run again, and the answer says so", async () => {
    const call = calls({ name: "send_mail", input: { to: "ada" } });
    await start([call, "sent it", call, "sent it, briefly"]);
    await core.ask("m-1", "mail ada");
    const again = await core.ask("m-2", "mail ada", { revises: "m-1" });
    expect(ran).toEqual([{ to: "ada" }]);
    expect(again.markdown).toBe("sent it, briefly\n\n_Not run again, the earlier result counts: `send_mail`._");
    const result = core.model.requests.items[3]?.messages.findLast(({ role }) => role === "tool");
    expect(JSON.stringify(result)).toContain("already ran for an earlier version");
    expect(JSON.stringify(result)).toContain("sent 1");
    expect(core.model.requests.items[2]?.system).toContain('- send_mail {"to":"ada"}');
  });

  it("when the tool is called with other arguments, then it runs, and the answer says that it ran again", async () => {
    await start([
      calls({ name: "send_mail", input: { to: "ada" } }),
      "sent",
      calls({ name: "send_mail", input: { to: "bob" } }),
      "sent to bob",
    ]);
    await core.ask("m-1", "mail ada");
    const again = await core.ask("m-2", "mail bob", { revises: "m-1" });
    expect(ran).toEqual([{ to: "ada" }, { to: "bob" }]);
    expect(again.markdown).toBe("sent to bob\n\n_Run again for this version: `send_mail`._");
  });

  it("when the call ran for the version before the previous one, then it is not run again either", async () => {
    const call = calls({ name: "send_mail", input: { to: "ada" } });
    await start([call, "sent", "nothing to do", call, "done"]);
    await core.ask("m-1", "mail ada");
    await core.ask("m-2", "mail ada?", { revises: "m-1" });
    expect((await core.ask("m-3", "mail ada!", { revises: "m-2" })).markdown).toContain("Not run again");
    expect(ran).toHaveLength(1);
  });

  it.each([
    ["de-AT", "_Nicht noch einmal ausgeführt, das frühere Ergebnis zählt: `send_mail`._"],
    ["es", "_No se ha repetido, vale el resultado anterior: `send_mail`._"],
  ])("when its author reads %s, then the answer says so in their language (U3)", async (locale, said) => {
    const call = calls({ name: "send_mail", input: { to: "ada" } });
    await start([call, "one", call, "two"]);
    const account = { id: "ann", name: "Ann", locale };
    await core.ask("m-1", "mail ada", { account });
    expect((await core.ask("m-2", "mail ada", { account, revises: "m-1" })).markdown).toBe(`two\n\n${said}`);
  });

  it("when a reminder was made for the earlier version, then another answer makes no second one, and an edit says that it does", async () => {
    const reminder = (when: string) =>
      calls({ name: "schedule_task", input: { description: "stretch", prompt: "tell me to stretch", when } });
    await start([reminder("in 5 minutes"), "ok", reminder("in 5 minutes"), "ok", reminder("in 6 minutes"), "ok"]);
    await core.ask("m-1", "in 5 minutes tell me to stretch");
    const again = await core.ask("m-2", "in 5 minutes tell me to stretch", { revises: "m-1" });
    expect(again.markdown).toBe("ok\n\n_Not run again, the earlier result counts: `schedule_task`._");
    expect((await core.ask("m-3", "", { command: { name: "schedules", args: "" } })).actions).toHaveLength(1);
    const edited = await core.ask("m-4", "in 6 minutes tell me to stretch", { revises: "m-2" });
    expect(edited.markdown).toBe("ok\n\n_Run again for this version: `schedule_task`._");
    expect(core.model.requests.items[4]?.system).toContain("- schedule_task");
    expect((await core.ask("m-5", "", { command: { name: "schedules", args: "" } })).actions).toHaveLength(2);
  });

  it("when the earlier version delegated, then the new one delegates again for its own answer, and says so", async () => {
    const input = { name: "tides", prompt: "read the tables", blocking: true };
    await start(({ messages, tools }) => {
      const isDone =
        messages.some(({ role }) => role === "tool") || tools.some(({ name }) => name === "complete_subtask");
      return isDone ? "found" : calls({ name: "spawn_subtask", input });
    });
    await core.ask("m-1", "research tides");
    const again = await core.ask("m-2", "research tides", { revises: "m-1" });
    expect(again.markdown).toBe("found\n\n_Run again for this version: `spawn_subtask`._");
  });

  it("when the revised message is unknown, of an earlier session or of another account, then nothing is replaced", async () => {
    await start(["one", "two", "three"]);
    await core.ask("m-1", "first");
    const stranger = { id: "u-2", name: "Bob" };
    const refused = [
      await core.ask("m-2", "second", { revises: "m-9" }),
      await core.ask("m-3", "second", { revises: "m-1", account: stranger }),
    ];
    await core.ask("m-4", "/new", { command: { name: "new", args: "" } });
    refused.push(await core.ask("m-5", "second", { revises: "m-1" }));
    for (const reply of refused) expect(reply.markdown).toContain("I can no longer replace that message");
    expect(core.model.requests.items).toHaveLength(1);
  });
});
