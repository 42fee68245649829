import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { OfferedTools, Tool } from "../../../core/contract/tool.ts";
import { joinSources } from "../../../core/tools/index.ts";
import { memberPermit } from "../../fakes/sample-permit.ts";

const tool = (name: string, description: string): Tool => ({
  name,
  description,
  input: z.looseObject({}),
  needs: "talk",
  repeatable: true,
  run: async () => "",
});
const source = (offered: OfferedTools) => ({ offer: async () => offered });

describe("given several sources of tools of one agent (T1)", () => {
  it("when a turn begins, then it has the tools of all, the first of each name, and the same list while nothing changes", async () => {
    const current = { first: { tools: [tool("a", "1"), tool("b", "1")], unavailable: ["x: down"] } as OfferedTools };
    const second = { tools: [tool("b", "2"), tool("c", "2")], unavailable: ["y: down"] };
    const joined = joinSources([{ offer: async () => current.first }, undefined, source(second)]);
    const offered = await joined?.offer(memberPermit);
    expect(offered?.tools.map(({ name, description }) => name + description)).toEqual(["a1", "b1", "c2"]);
    expect(offered?.unavailable).toEqual(["x: down", "y: down"]);
    expect(await joined?.offer(memberPermit)).toBe(offered);
    current.first = { tools: [], unavailable: [] };
    expect((await joined?.offer(memberPermit))?.tools).toHaveLength(2);
  });

  it("when there is only one, then it is used as it is; when there is none, then there is no source", () => {
    const only = source({ tools: [], unavailable: [] });
    expect(joinSources([undefined, only])).toBe(only);
    expect(joinSources([undefined])).toBeUndefined();
  });
});
