import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALL, fakeServer, McpRig, permitWith, run } from "../../../fakes/mcp/mcp-rig.ts";

let rig: McpRig;
beforeEach(async () => {
  rig = await McpRig.create();
});
afterEach(() => rig.dispose());

const named = (...names: string[]) => names.map((name) => ({ name, inputSchema: { type: "object" } }));
const namesOf = ({ tools }: { readonly tools: readonly { readonly name: string }[] }) => tools.map(({ name }) => name);
const starts = (log: ReturnType<McpRig["log"]>) => log.lines().filter(({ started }) => started !== undefined).length;

describe("given an agent with MCP servers (T1, T2)", () => {
  it("when nothing needs them, then none is started", async () => {
    const log = rig.log();
    const { mcp } = rig.start({ tide: fakeServer({ log: log.path }) });
    await mcp.stop();
    expect(log.lines()).toEqual([]);
  });

  it("when two turns begin at once, then the server starts once, and both are offered the same list", async () => {
    const log = rig.log();
    const { source } = rig.start({ tide: fakeServer({ log: log.path }) });
    const [first, second] = await Promise.all([source.offer(ALL), source.offer(ALL)]);
    expect(namesOf(first)).toEqual(["tide__echo"]);
    expect(first.unavailable).toEqual([]);
    expect(starts(log)).toBe(1);
    expect(second).toBe(await source.offer(ALL));
  });

  it("when a later process offers the tools, then it knows them without starting the server", async () => {
    const log = rig.log();
    const before = rig.start({ tide: fakeServer({ log: log.path }) });
    await before.source.offer(ALL);
    await before.mcp.stop();
    const { source } = rig.start({ tide: fakeServer({ log: log.path }) });
    const { tools } = await source.offer(ALL);
    expect(tools.map(({ name }) => name)).toEqual(["tide__echo"]);
    expect(starts(log)).toBe(1);
    expect(await run(tools, "tide__echo", { text: "hi" })).toEqual({ text: "echo: hi" });
    expect(starts(log)).toBe(2);
  });

  it("when the work may use no tool of a server, then the server is not started for it (R1)", async () => {
    const [tide, git] = [rig.log("tide"), rig.log("git")];
    const servers = {
      tide: fakeServer({ log: tide.path }),
      git: fakeServer({ log: git.path, tools: named("log", "push") }),
    };
    const { source } = rig.start(servers);
    expect(namesOf(await source.offer(permitWith("default")))).toEqual([]);
    expect(namesOf(await source.offer(permitWith("tool:git__log")))).toEqual(["git__log"]);
    expect([starts(tide), starts(git)]).toEqual([0, 1]);
  });

  it("when the configuration allows and denies tools, then the agent has the allowed ones that are not denied", async () => {
    const tools = { allow: ["read_*", "list"], deny: ["*_secret"] };
    const plan = { tools: named("read_file", "read_secret", "list", "list_all", "write") };
    const { source } = rig.start({ disk: fakeServer(plan, { tools }), off: fakeServer({}, { disabled: true }) });
    expect(namesOf(await source.offer(ALL))).toEqual(["disk__read_file", "disk__list"]);
  });

  it("when two tools have one name, then the first one counts and the log says so", async () => {
    const tools = [
      { name: "echo", description: "first", inputSchema: { type: "object" } },
      { name: "echo", description: "second", inputSchema: { type: "object" } },
      { description: "no name" },
    ];
    const { source } = rig.start({ tide: fakeServer({ tools }) });
    const offered = await source.offer(ALL);
    expect(offered.tools.map(({ description }) => description)).toEqual(["first"]);
    const reasons = rig.logger.lines.items.flatMap(({ fields }) => fields.reason ?? []);
    expect(reasons).toEqual(['two tools are named "echo", the first one counts', "a tool has no valid name"]);
  });

  it("when the list changes in the middle of a turn, then a call of a tool that is gone says so, and later turns have the new list", async () => {
    const { source } = rig.start({ tide: fakeServer({ tools: named("change", "echo") }) });
    const { tools } = await source.offer(ALL);
    expect(await run(tools, "tide__change")).toEqual({ text: "changed" });
    await expect(run(tools, "tide__echo")).rejects.toThrow('Not run: tide no longer has the tool "echo".');
    expect(namesOf(await source.offer(ALL))).toEqual(["tide__other"]);
  });

  it("when a server is idle, then it stops, and the next call starts it again", async () => {
    const log = rig.log();
    const { source } = rig.start({ tide: fakeServer({ log: log.path }, { idleMs: 1_000 }) });
    const { tools } = await source.offer(ALL);
    await rig.logger.lines.until((lines) =>
      lines.some(({ message }) => message === "tool server is idle, stopping it"),
    );
    expect(await run(tools, "tide__echo")).toEqual({ text: "echo: " });
    expect(starts(log)).toBe(2);
  });

  it("when a server has resources and prompts, then the agent can list and read them with the same rights", async () => {
    const { source } = rig.start({ tide: fakeServer({ capabilities: { resources: {}, prompts: {} } }) });
    const { tools } = await source.offer(ALL);
    expect(tools.map(({ name }) => name)).toEqual([
      "tide__echo",
      "tide__list_resources",
      "tide__read_resource",
      "tide__list_prompts",
      "tide__get_prompt",
    ]);
    expect((await run(tools, "tide__list_resources")).text).toContain("tide://today");
    expect(await run(tools, "tide__read_resource", { uri: "tide://today" })).toEqual({
      text: "[tide://today]\ncontents of tide://today",
    });
    expect((await run(tools, "tide__list_prompts")).text).toContain('"greet"');
    expect((await run(tools, "tide__get_prompt", { name: "greet", arguments: { who: "Ada" } })).text).toBe(
      "user:\nGreet Ada.",
    );
    expect(namesOf(await source.offer(permitWith("tool:tide__echo")))).toEqual(["tide__echo"]);
  });

  it("when the configuration allows and denies tools, then that also counts for its resources and prompts", async () => {
    const plan = { capabilities: { resources: {}, prompts: {} } };
    const { source } = rig.start({
      few: fakeServer(plan, { tools: { allow: ["echo", "*_resource*"] } }),
      most: fakeServer(plan, { tools: { deny: ["read_resource", "*prompt*"] } }),
    });
    expect(namesOf(await source.offer(ALL))).toEqual([
      ...["few__echo", "few__list_resources", "few__read_resource"],
      ...["most__echo", "most__list_resources"],
    ]);
  });
});

describe("given the hints of a server about its tools (T2, T3, T4)", () => {
  const hinted = (annotations: object) => ({ name: "echo", inputSchema: { type: "object" }, annotations });
  const toolWith = async (annotations: object, rest: object) => {
    const server = fakeServer({ tools: [hinted(annotations)] }, { approval: "destructive", ...rest });
    const { tools } = await rig.start({ tide: server }).source.offer(ALL);
    return { repeatable: tools[0]?.repeatable, asks: tools[0]?.approval?.isDestructive };
  };

  it("when the server is not trusted, then its tools are not repeatable, and all of them ask as destructive ones", async () => {
    expect(await toolWith({ readOnlyHint: true, idempotentHint: true, destructiveHint: false }, {})).toEqual({
      repeatable: false,
      asks: true,
    });
  });

  it("when the server is trusted, then its hints decide, and a tool without hints is destructive", async () => {
    const trusted = { trusted: true };
    expect(await toolWith({ readOnlyHint: true }, trusted)).toEqual({ repeatable: true, asks: undefined });
    expect(await toolWith({ idempotentHint: true }, trusted)).toEqual({ repeatable: true, asks: true });
    expect(await toolWith({ destructiveHint: false }, trusted)).toEqual({ repeatable: false, asks: undefined });
    expect(await toolWith({}, trusted)).toEqual({ repeatable: false, asks: true });
  });

  it("when a tool becomes destructive in the middle of a turn, then its calls need an approval first", async () => {
    const harmless = { inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
    const tools = ["change", "other"].map((name) => ({ name, ...harmless }));
    const { source } = rig.start({ tide: fakeServer({ tools }, { trusted: true, approval: "destructive" }) });
    const offered = await source.offer(ALL);
    expect(await run(offered.tools, "tide__other")).toEqual({ text: "echo: " });
    expect(await run(offered.tools, "tide__change")).toEqual({ text: "changed" });
    await expect(run(offered.tools, "tide__other")).rejects.toThrow("Not run: tide has changed its tool");
    const [later] = (await source.offer(ALL)).tools;
    expect(later?.approval?.isDestructive).toBe(true);
  });

  it("when the operator says which calls ask, then that counts", async () => {
    expect((await toolWith({ readOnlyHint: true }, { trusted: true, approval: "ask" })).asks).toBe(false);
    expect((await toolWith({}, { approval: "never" })).asks).toBeUndefined();
  });
});
