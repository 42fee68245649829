import { describe, expect, it } from "vitest";
import { describeTools } from "../../../../core/model/index.ts";
import { McpServersConfig } from "../../../../core/tools/mcp/config.ts";
import { digestOf, StoredList } from "../../../../core/tools/mcp/list/stored-lists.ts";
import { ALL, fakeServer, McpRig, permitWith } from "../../../fakes/mcp/mcp-rig.ts";
import { MemoryStore } from "../../../fakes/memory-store.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("given 50 servers with 20 tools each, whose lists are stored (T2)", () => {
  it("when turns begin, then no server starts, each list is read once, and all turns have the same list of tools", async () => {
    const store = new MemoryStore();
    const rig = await McpRig.create(store);
    const log = rig.log();
    const servers = Object.fromEntries(numbers(50).map((server) => [`s${server}`, fakeServer({ log: log.path })]));
    const inputSchema = { type: "object", properties: { a: { type: "string" } } };
    const tools = numbers(20).map((tool) => ({ name: `t${tool}`, inputSchema }));
    for (const [name, config] of Object.entries(McpServersConfig.parse(servers))) {
      const digest = digestOf({ tenant: "default", agent: "mooring" }, name, config);
      const list = { tools, hasResources: false, hasPrompts: false, readAt: Date.now() };
      await new StoredList({ store, logger: rig.logger, dataDir: rig.dataDir }, digest).write(list);
    }
    const { source } = rig.start(servers);
    expect(store.reads).toBe(0);
    const first = await source.offer(ALL);
    expect(first.tools).toHaveLength(1_000);
    expect(first.unavailable).toEqual([]);
    expect(store.reads).toBe(50);
    for (let turn = 0; turn < 10; turn++) expect(await source.offer(ALL)).toBe(first);
    expect(describeTools(first.tools)).toBe(describeTools(first.tools));
    expect((await source.offer(permitWith("tool:s7__t3"))).tools.map(({ name }) => name)).toEqual(["s7__t3"]);
    expect(store.reads).toBe(50);
    expect(log.lines()).toEqual([]);
    await rig.dispose();
  });
});
