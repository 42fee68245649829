import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeServer } from "../../fakes/mcp/fake-server.ts";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { userMessage } from "../core-under-test.ts";
import type { DataOptions } from "./backbone-data.ts";
import { crashesOn } from "./crashes-on.ts";
import { CrashingCore } from "./crashing-core.ts";

/** "tide__work 7": calls the tool once, then answers with its output. */
const script = ({ lastUserText, toolOutputs }: ModelRequest) =>
  toolOutputs.length === 0
    ? calls([{ name: lastUserText.split(" ")[0] ?? "", arguments: { text: lastUserText } }])
    : says(toolOutputs.join());

interface Crash {
  readonly at: string;
  /** The server says that "look" is idempotent; it says nothing of "work". */
  readonly tool: "work" | "look";
  readonly runs: number;
  readonly outcomeUnknown?: true;
}

const allCrashes: readonly Crash[] = [
  { at: "tool.before", tool: "work", runs: 1 },
  { at: "tool.intent", tool: "work", runs: 0, outcomeUnknown: true },
  { at: "tool.inside", tool: "work", runs: 1, outcomeUnknown: true },
  { at: "tool.after", tool: "work", runs: 1, outcomeUnknown: true },
  { at: "tool.result", tool: "work", runs: 1 },
  { at: "tool.before", tool: "look", runs: 1 },
  { at: "tool.inside", tool: "look", runs: 2 },
  { at: "tool.after", tool: "look", runs: 2 },
  { at: "tool.result", tool: "look", runs: 1 },
];

/** A `kill -9` before, inside and after the call of an MCP tool. */
export const mcpCrashes = (kind: DataOptions["kind"]): void => {
  const crashes = crashesOn(kind, allCrashes, 4);
  describe(`given a core on ${kind} that crashes around the call of an MCP tool (T3)`, () => {
    let core: CrashingCore;
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "mooring-mcp-crashes-"));
      const tools = [
        { name: "work", inputSchema: { type: "object" } },
        { name: "look", inputSchema: { type: "object" }, annotations: { idempotentHint: true } },
      ];
      const tide = fakeServer({ log: join(folder, "log"), tools }, { trusted: true });
      core = await CrashingCore.deploy(kind, script, { mcpServers: { tide } });
    });
    afterAll(async () => {
      await core.dispose();
      await rm(folder, { recursive: true, force: true });
    });

    /** The idempotency keys of the calls that the server received. */
    const keysOf = async (text: string): Promise<unknown[]> => {
      const lines = (await readFile(join(folder, "log"), "utf8")).trim().split("\n");
      return lines
        .map((line) => JSON.parse(line))
        .filter(({ input }) => input?.text === text)
        .map(({ _meta }) => _meta["mooring/idempotency-key"]);
    };

    it.each(crashes)("when it crashes at $at of $tool, then the next process ends the turn", async (crash) => {
      const text = `tide__${crash.tool} ${crashes.indexOf(crash)}`;
      const crashing = await core.running();
      await crashing.crashAt(crash.at);
      await core.receive(userMessage(text, text));
      await crashing.exited;
      await core.running();
      const reply = await core.receivedReplyTo(text);
      if (crash.outcomeUnknown) expect(reply.markdown).toContain("its outcome is unknown");
      else expect(reply.markdown).toBe(`echo: ${text}`);
      const keys = await keysOf(text);
      expect(keys).toHaveLength(crash.runs);
      expect(new Set(keys).size).toBe(Math.min(1, crash.runs));
    });
  });
};
