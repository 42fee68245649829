import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALL, fakeServer, McpRig, run } from "../../../fakes/mcp/mcp-rig.ts";

let rig: McpRig;
beforeEach(async () => {
  rig = await McpRig.create();
});
afterEach(() => rig.dispose());

const named = (...names: string[]) => names.map((name) => ({ name, inputSchema: { type: "object" } }));

/** A bad server beside a good one: the good one must always work. */
const offered = async (bad: object) => {
  const { source } = rig.start({ bad, good: fakeServer() });
  const offer = await source.offer(ALL);
  expect(await run(offer.tools, "good__echo", { text: "hi" })).toEqual({ text: "echo: hi" });
  return { source, ...offer };
};

describe("given a server that does not work (T2)", () => {
  it("when its program does not exist, then the list says so and the other tools work", async () => {
    const { unavailable } = await offered({ command: "no-such-program", args: [] });
    expect(unavailable).toEqual(['bad: the program "no-such-program" was not found']);
  });

  it("when it ends at once, then the log has its last output, and the model does not", async () => {
    const { unavailable } = await offered(fakeServer({ exitAtStart: true, stderr: "cannot open db; token=abc123" }));
    expect(unavailable).toEqual(["bad: it ended (exit code 3)"]);
    const failed = rig.logger.lines.items.find(({ message }) => message === "tool server failed");
    expect(failed?.fields).toMatchObject({
      server: "bad",
      error: "it ended (exit code 3); its last output: cannot open db; token=•••",
    });
  });

  it("when it does not finish its start, then the start ends at its limit and the program is gone", async () => {
    const log = rig.log();
    const plan = { hangAtStart: true, stayAlive: true, ignoreSigterm: true, log: log.path };
    const { unavailable } = await offered(fakeServer(plan, { startTimeoutMs: 700 }));
    expect(unavailable).toEqual(["bad: it did not start within 700 ms"]);
    expect(() => process.kill(Number(log.lines()[0]?.started), 0)).toThrow("ESRCH");
  });

  it("when it prints a greeting, then it works; when it prints only rubbish, then it is stopped", async () => {
    const greeting = await offered(fakeServer({ rubbish: 3 }));
    expect(await run(greeting.tools, "bad__echo")).toEqual({ text: "echo: " });
    await rig.dispose();
    rig = await McpRig.create();
    const { unavailable } = await offered(fakeServer({ rubbish: 5_000 }));
    expect(unavailable).toEqual(["bad: its standard output has text instead of messages, and was stopped"]);
  });

  it("when it dies in a call, then the result says so, and the next call starts it again", async () => {
    const { tools } = await offered(fakeServer({ tools: named("die", "echo") }));
    await expect(run(tools, "bad__die")).rejects.toThrow(
      "The tool server bad failed: it ended (exit code 7). The call may or may not have taken effect.",
    );
    expect(await run(tools, "bad__echo")).toEqual({ text: "echo: " });
  });

  it("when it dies in every call, then it is restarted with growing pauses, and calls in between say so at once", async () => {
    const log = rig.log();
    const { tools, source } = await offered(fakeServer({ tools: named("die"), log: log.path }));
    for (let calls = 0; calls < 4; calls++) await expect(run(tools, "bad__die")).rejects.toThrow("exit code 7");
    expect(log.lines().filter(({ call }) => call === "die")).toHaveLength(2);
    const later = await source.offer(ALL);
    expect(later.unavailable).toEqual(["bad: it ended (exit code 7)"]);
    expect(later.tools.map(({ name }) => name)).toContain("bad__die");
  });

  it("when it answers 100 MB, then it is stopped and the call fails", async () => {
    const { tools } = await offered(fakeServer({ tools: named("huge", "echo") }));
    await expect(run(tools, "bad__huge")).rejects.toThrow("it sent more than 16000000 bytes at once, and was stopped");
    expect(await run(tools, "bad__echo")).toEqual({ text: "echo: " });
  });

  it.each([
    ["messages", "more than 2000 messages in a second"],
    ["empty lines", "more than 2000 messages in a second"],
    ["large messages", "more than 64000000 bytes in a few seconds"],
  ])("when it floods with %s, then it is stopped and the call fails", async (what, rule) => {
    const { tools } = await offered(fakeServer({ tools: named("flood"), flood: what }));
    await expect(run(tools, "bad__flood")).rejects.toThrow(`${rule}, and was stopped`);
  });

  it("when it prints a note in each call, then it works for as many calls as there are", async () => {
    const { tools } = await offered(fakeServer({ tools: named("chatter") }));
    for (let call = 0; call < 3; call++) expect(await run(tools, "bad__chatter")).toEqual({ text: "echo: " });
  });

  it("when its tools have schemas that no model takes, then they are offered with schemas that models take", async () => {
    const node = { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } } };
    const tools = [
      { name: "none" },
      { name: "typeless", inputSchema: { properties: { a: { type: "string" } } } },
      { name: "recursive", inputSchema: { $ref: "#/$defs/node", $defs: { node } } },
      {
        name: "choice",
        inputSchema: {
          oneOf: [
            { properties: { id: { type: "string" }, by: {} }, required: ["id", "by"] },
            { properties: { name: { type: "string" }, by: {} }, required: ["name", "by"] },
          ],
        },
      },
      { name: "patterned", inputSchema: { type: "object", properties: { a: { type: "string", pattern: "(a+)+$" } } } },
    ];
    const offer = await offered(fakeServer({ tools }));
    const schemas = Object.fromEntries(offer.tools.map(({ name, inputSchema }) => [name, inputSchema]));
    expect(schemas.bad__none).toEqual({ type: "object", properties: {} });
    expect(schemas.bad__typeless).toEqual({ type: "object", properties: { a: { type: "string" } } });
    expect(schemas.bad__choice).toMatchObject({ type: "object", required: ["by"] });
    expect(Object.keys((schemas.bad__choice as { properties: object }).properties)).toEqual(["id", "by", "name"]);
    expect(JSON.stringify(schemas.bad__recursive)).not.toContain("$");
    expect(schemas.bad__patterned).toEqual({ type: "object", properties: { a: { type: "string" } } });
    for (const { name } of tools) expect(await run(offer.tools, `bad__${name}`, { by: 1 })).toEqual({ text: "echo: " });
  });
});
