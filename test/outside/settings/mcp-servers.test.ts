import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, vi } from "vitest";
import { fakeServer } from "../../fakes/mcp/fake-server.ts";
import { sse, streamable, TestHttpServer } from "../../fakes/mcp/http-server.ts";
import { OAuthServer } from "../../fakes/mcp/oauth-server.ts";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { SettingsRig } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
beforeAll(async () => {
  models = await rig.models();
});

const named = (...names: string[]) => names.map((name) => ({ name, inputSchema: { type: "object" } }));

/** The message "use <tool>" makes the model call it and repeat the result; "list" makes it name its tools. */
const started = async (mcpServers: object, folder?: string) => {
  const model = models.named("mooring", ({ lastUserText, toolOutputs, toolNames, body }) => {
    if (toolOutputs.length > 0) return says(toolOutputs.join("\n"));
    if (lastUserText === "list") {
      const [, unavailable = ""] = /cannot be used now:\\n(.*?)(?:\\n\\n|")/.exec(JSON.stringify(body)) ?? [];
      return says(`${toolNames.filter((name) => name.includes("__")).join(" ")} ${unavailable}`);
    }
    return calls([{ name: lastUserText.replace("use ", ""), arguments: {} }]);
  });
  const rights = { anonymous: ["default", "tool:*"] };
  const agents = [{ name: "mooring", model, rights, mcpServers }];
  const mooring = await rig.start({ agents, logLevel: "debug" }, folder === undefined ? {} : { folder });
  const visitor = mooring.client("visitor");
  return {
    mooring,
    answerTo: async (text: string) => (await visitor.answerTo(visitor.say(text))).markdown?.trim() ?? "",
  };
};

describe("given the MCP servers of an agent", () => {
  proves(
    [
      "agents[].mcpServers.*.command",
      "agents[].mcpServers.*.args",
      "agents[].mcpServers.*.env",
      "agents[].mcpServers.*.cwd",
      "agents[].mcpServers.*.disabled",
      "agents[].mcpServers.*.tools.allow",
      "agents[].mcpServers.*.tools.deny",
    ],
    "when servers of this machine are configured, then they run there, and the agent has the tools that are allowed",
    async () => {
      const cwd = await rig.folder();
      const plan = { log: "server.log", tools: named("echo", "read", "write") };
      const { answerTo } = await started({
        all: fakeServer(plan, { cwd, env: { TIDE: "low" } }),
        some: fakeServer(plan, { cwd, tools: { allow: ["*e*"], deny: ["wr*"] } }),
        off: fakeServer(plan, { cwd, disabled: true }),
      });
      expect(await answerTo("list")).toBe("all__echo all__read all__write some__echo some__read");
      expect(await answerTo("use all__echo")).toBe("echo:");
      expect(await readFile(`${cwd}/server.log`, "utf8")).toContain('"TIDE":"low"');
    },
  );

  proves(
    ["agents[].mcpServers.*.url", "agents[].mcpServers.*.headers", "agents[].mcpServers.*.type"],
    "when remote servers are configured, then they are called with the headers, over the transport that is set",
    async () => {
      const remote = rig.owns(await TestHttpServer.start(streamable(true)));
      const older = rig.owns(await TestHttpServer.start(sse()));
      const { answerTo } = await started({
        calc: { url: remote.url, headers: { "X-Key": "key-of-the-test" } },
        old: { url: `${older.url}/sse`, type: "sse" },
      });
      expect(await answerTo("list")).toBe("calc__add calc__huge old__add old__huge");
      expect(remote.requests.every(({ headers }) => headers["x-key"] === "key-of-the-test")).toBe(true);
      expect(older.requests[0]).toMatchObject({ method: "GET", path: "/sse" });
    },
  );

  proves(
    [
      "agents[].mcpServers.*.oauth.clientId",
      "agents[].mcpServers.*.oauth.clientSecret",
      "agents[].mcpServers.*.oauth.issuer",
      "agents[].mcpServers.*.oauth.scope",
    ],
    "when a server wants an access token, then it is requested with the credentials and the scope",
    async () => {
      const server = rig.owns(await OAuthServer.start());
      const oauth = { clientId: "ada", clientSecret: "secret-of-ada", issuer: server.url, scope: "tides" };
      const { answerTo } = await started({ calc: { url: `${server.url}/mcp`, oauth } });
      expect(await answerTo("list")).toBe("calc__add calc__huge");
      expect(server.tokenRequests[0]?.authorization).toBe(`Basic ${btoa("ada:secret-of-ada")}`);
      expect(server.tokenRequests[0]?.body.get("scope")).toBe("tides");
      const other = await started({
        calc: { url: `${server.url}/mcp`, oauth: { ...oauth, issuer: "https://login.example.com" } },
      });
      expect(await other.answerTo("list")).toContain("calc: ");
    },
  );

  proves(
    ["agents[].mcpServers.*.approval", "agents[].mcpServers.*.trusted"],
    "when a tool may destroy something, then its call does not run without a person, unless the configuration says so",
    async () => {
      const tools = [{ name: "echo", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }];
      const { answerTo } = await started({
        careful: fakeServer({ tools }, { approval: "destructive" }),
        trusted: fakeServer({ tools }, { approval: "destructive", trusted: true }),
        never: fakeServer({ tools }, { approval: "never" }),
        ask: fakeServer({ tools }, { approval: "ask", trusted: true }),
      });
      expect(await answerTo("use trusted__echo")).toBe("echo:");
      expect(await answerTo("use never__echo")).toBe("echo:");
      expect(await answerTo("use careful__echo")).not.toContain("echo:");
      expect(await answerTo("use ask__echo")).not.toContain("echo:");
    },
  );

  proves(
    [
      "agents[].mcpServers.*.timeoutMs",
      "agents[].mcpServers.*.startTimeoutMs",
      "agents[].mcpServers.*.idleMs",
      "agents[].mcpServers.*.maxResultBytes",
    ],
    "when a call, a start, a pause or a result is too long, then it ends at its limit",
    async () => {
      const { answerTo, mooring } = await started({
        hangs: fakeServer({ tools: named("hang") }, { timeoutMs: 300 }),
        never: fakeServer({ hangAtStart: true }, { startTimeoutMs: 300 }),
        talks: fakeServer({ tools: named("long") }, { maxResultBytes: 1_000, idleMs: 1_000 }),
      });
      expect(await answerTo("list")).toBe("hangs__hang talks__long never: it did not start within 300 ms");
      expect(await answerTo("use hangs__hang")).toContain("it did not answer within 300 ms");
      const long = await answerTo("use talks__long");
      expect(long.length).toBeLessThan(1_000);
      expect(long).toContain("[cut: 201 kB");
      await vi.waitFor(() => expect(mooring.process.stderr()).toContain("tool server is idle, stopping it"), 10_000);
    },
  );
});
