import { describe, expect, it } from "vitest";
import { McpServersConfig } from "../../../../core/tools/mcp/config.ts";
import { toolNames } from "../../../../core/tools/mcp/list/tool-names.ts";

const problems = (servers: object) =>
  McpServersConfig.safeParse(servers).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);

describe("given the servers of a configuration (T1)", () => {
  it("when an entry comes from another MCP client, then it is accepted with that client's keys", () => {
    const pasted = {
      "brave-search": { command: "npx", args: ["-y", "brave"], env: { KEY: "k" }, disabled: false, autoApprove: [] },
      GitHub: { type: "http", url: "https://example.com/mcp", headers: { Authorization: "Bearer x" }, timeout: 60 },
      "Old server": { type: "sse", url: "https://example.com/sse", alwaysAllow: ["a"], description: "x" },
    };
    const { data } = McpServersConfig.safeParse(pasted);
    expect(data?.["brave-search"]).toMatchObject({ approval: "destructive", trusted: false, tools: { allow: ["*"] } });
    expect(JSON.stringify(data)).not.toContain("Bearer x");
  });

  it("when an entry is wrong, then the problem says what to do", () => {
    expect(problems({ a: {} })).toEqual(["a: needs a command or a url, and not both"]);
    expect(problems({ a: { command: "x", url: "https://example.com" } })).toEqual([
      "a: needs a command or a url, and not both",
    ]);
    expect(problems({ a: { url: "ftp://example.com" } })).toEqual(["a.url: must be an http or https address"]);
    expect(problems({ a: { command: "x", comand: "y" } })?.[0]).toContain("comand");
    expect(JSON.stringify(McpServersConfig.safeParse({ a__b: { command: "x" } }).error?.issues)).toContain("single");
    expect(problems({ "a b": { command: "x" }, "a-b": { command: "x" } })).toEqual([
      'a-b: its tools would have the names of those of "a b"',
    ]);
  });
});

describe("given the tools of a server (T2)", () => {
  it("when they are named, then the names are those that every provider accepts, stable and unique", () => {
    const long = "a".repeat(80);
    const names = toolNames("Old server", ["read.file", "read_file", "naïve", long, `${long}b`]);
    expect(names.get("read_file")).toBe("Old-server__read_file");
    expect(names.get("read.file")).toMatch(/^Old-server__read_file_[0-9a-f]{8}$/);
    expect(names.get("naïve")).toBe("Old-server__na_ve");
    expect(new Set(names.values()).size).toBe(5);
    for (const name of names.values()) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(toolNames("Old server", [long]).get(long)).toBe(names.get(long));
    expect(toolNames("Old server", ["read.file"]).get("read.file")).toBe("Old-server__read_file");
  });
});
