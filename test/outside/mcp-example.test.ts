import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { fakeServer } from "../fakes/mcp/fake-server.ts";
import { projectRoot } from "../setup/project-files.ts";
import { SettingsRig } from "./settings/settings-rig.ts";

const rig = new SettingsRig();

/** The two lines of the quick tour. */
const tourLines = async () => {
  const page = await readFile(`${projectRoot}docs/quick-tour.md`, "utf8");
  const [, lines = ""] = /```yaml\n( {4}mcpServers[^`]*)```/.exec(page) ?? [];
  return parse(lines.replaceAll("examples/", `${projectRoot}examples/`));
};

const check = async (config: object, folder: string, ...args: string[]) => {
  const { process } = await rig.run(config, { command: "check", args, folder });
  const { code } = await process.exited;
  return { code, text: process.stdout() };
};

describe("given the example server of the quick tour (T1, T5)", () => {
  it("when a visitor asks for the tide, then the demo model uses the tool, and `check` lists it with its users", async () => {
    const config = { agents: [{ name: "mooring", model: "demo", ...(await tourLines()) }] };
    const folder = await rig.folder();
    expect((await check(config, folder)).text).toContain("MCP harbour: not listed yet, --live asks the server");

    const mooring = await rig.start(config, { folder });
    const visitor = mooring.client("visitor");
    const { markdown } = await visitor.answerTo(visitor.say("when is the next tide in Kiel?"));
    expect(markdown).toMatch(/The next high tide in Kiel is at \d\d:\d\d UTC\.$/);
    await mooring.end();

    const { code, text } = await check(config, folder);
    expect(code).toBe(0);
    expect(text).toMatch(/harbour__next_tide +MCP harbour: anonymous/);
    expect(text).toMatch(/harbour__next_ferry +MCP harbour: anonymous/);
    expect(text).toContain("delete_from_working_memory");
    expect(text).toMatch(/built in +schedule_task, .*: anonymous, member, operator/);
  });

  it("when `check --live` connects, then it names the tools of each server, or what is wrong with it", async () => {
    const tour = await tourLines();
    const mcpServers = {
      ...tour.mcpServers,
      broken: fakeServer({ exitAtStart: true, stderr: "cannot open the database" }),
      idle: fakeServer({}),
    };
    const config = { agents: [{ name: "mooring", model: "demo", ...tour, mcpServers }] };
    const { code, text } = await check(config, await rig.folder(), "--live");
    expect(code).not.toBe(0);
    expect(text).toContain("MCP server harbour of mooring: it answers, with 2 tools");
    expect(text).toContain(
      "MCP server broken of mooring: it ended (exit code 3); its last output: cannot open the database",
    );
    expect(text).toContain("MCP server idle of mooring: it answers, with 1 tool, but no speaker may use them");
  });
});
