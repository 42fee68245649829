import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeAll, describe, expect } from "vitest";
import { MAIN, requireFreshBuild, startMooring } from "../../e2e/mooring-process.ts";
import { openInBrowser, SignInServer } from "../../fakes/mcp/sign-in-server.ts";
import { calls, says } from "../../fakes/model-answer.ts";
import { type Backbone, Product, type StartedProcess } from "../product.ts";
import { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { newSecret } from "./settings-rig.ts";

beforeAll(requireFreshBuild);

let product: Product;
let tides: SignInServer;
let models: ModelBoard;
afterEach(async () => {
  await product.dispose();
  await Promise.all([tides.stop(), models.stop()]);
});

const TOKEN = newSecret();

const deployed = async (backbone: Backbone, oauth: object) => {
  tides = await SignInServer.start();
  models = await ModelBoard.start();
  const model = models.named("mooring", ({ lastUserText, toolOutputs, body }) => {
    if (toolOutputs.length > 0) return says(toolOutputs.join("\n"));
    if (lastUserText === "add") return calls([{ name: "tides__add", arguments: { a: 1, b: 2 } }]);
    return says(/cannot be used now:\\n(.*?)(?:\\n\\n|")/.exec(JSON.stringify(body))?.[1] ?? "all tools work");
  });
  const server = { url: `${tides.url}/mcp`, approval: "never", oauth };
  const agents = [
    { name: "mooring", model, rights: { anonymous: ["default", "tool:*"] }, mcpServers: { tides: server } },
  ];
  const admin = { tokens: [{ token: TOKEN, role: "platform_admin" }] };
  product = await Product.create({ backbone, config: { agents, admin } });
};

const answersOf = (mooring: StartedProcess) => {
  const visitor = product.client("visitor", mooring.address);
  return async (text: string) => (await visitor.answerTo(visitor.say(text))).markdown?.trim() ?? "";
};

const admin = async (mooring: StartedProcess, method: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${TOKEN}`, ...(body && { "content-type": "application/json" }) };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return (await fetch(`${mooring.address}/admin/api/${path}`, init)).json();
};

const linkIn = (output: string): string => /^ {2}(http\S+)$/m.exec(output)?.[1] ?? "";

const untilLink = async (stdout: () => string): Promise<string> => {
  while (linkIn(stdout()) === "") await new Promise((resolve) => setTimeout(resolve, 20));
  return linkIn(stdout());
};

describe("given a remote MCP server at which an operator signs in (T1)", () => {
  proves(
    ["agents[].mcpServers.*.oauth.signIn", "agents[].mcpServers.*.oauth.tokenKey"],
    "when an operator pastes the address in a terminal, then the tools work, and check --live says what is missing before",
    async () => {
      await deployed("embedded", { signIn: true, tokenKey: newSecret() });
      const checked = async () => {
        const check = startMooring(["check", "--live", "--config", "start-1.yaml"], { cwd: product.folder });
        await check.exited;
        return check.stdout();
      };
      const mooring = await product.start("start");
      await mooring.ready();
      const answerTo = answersOf(mooring);
      expect(await answerTo("which tools are missing?")).toContain("mooring mcp sign-in tides --agent mooring");
      expect(await checked()).toContain("the console shows their state");

      const cli = spawn(process.execPath, [MAIN, "mcp", "sign-in", "tides", "--config", "start-1.yaml"], {
        cwd: product.folder,
        env: { PATH: process.env.PATH },
      });
      let output = "";
      cli.stdout.on("data", (data) => {
        output += data;
      });
      const { address } = await openInBrowser(await untilLink(() => output));
      expect(address).toContain(`${mooring.port}/console/tool-servers/callback?`);
      cli.stdin.end(`${address}\n`);
      expect(await once(cli, "close")).toEqual([0, null]);
      expect(output).toContain("mooring is signed in at tides.");
      expect(await admin(mooring, "GET", "tool-servers")).toMatchObject({
        items: [{ agent: "mooring", server: "tides", signIn: "done" }],
      });

      // The pause after the failed start may not be over yet.
      for (let tries = 0; tries < 100 && (await answerTo("which?")) !== "all tools work"; tries++);
      expect(await answerTo("add")).toBe("3");
      tides.expire();
      expect(await answerTo("add")).toBe("3");
      expect([tides.refreshes, tides.reuses]).toEqual([1, 0]);

      await mooring.end("SIGKILL");
      expect(await checked()).toContain("it answers, with 1 tool");
      tides.revoke();
      expect(await checked()).toContain("an operator must sign in at it first");
    },
  );

  proves(
    ["agents[].mcpServers.*.oauth.signIn"],
    "when gateway and core are processes on NATS, then a sign-in at the gateway serves every core, and survives kills",
    async () => {
      await deployed("nats", { signIn: true, tokenKey: newSecret() });
      const gateway = await product.start("gateway");
      const cores = [await product.start("core"), await product.start("core")];
      await Promise.all([gateway, ...cores].map((each) => each.ready()));
      const answerTo = answersOf(gateway);
      // This one waits for the console, which completes the sign-in with the operator's token.
      const cli = startMooring(["mcp", "sign-in", "tides", "--agent", "mooring", "--config", "gateway-1.yaml"], {
        cwd: product.folder,
      });
      const { address: _, ...response } = await openInBrowser(await untilLink(cli.stdout));
      expect(await admin(gateway, "POST", "tool-servers/sign-in", response)).toMatchObject({ signIn: "done" });
      expect(await cli.exited).toEqual({ code: 0, signal: null });
      expect(await answerTo("add")).toBe("3");
      tides.expire();
      expect(await answerTo("add")).toBe("3");
      await Promise.all(cores.map((core) => core.end("SIGKILL")));
      const later = await product.start("core");
      await later.ready();
      expect(await answerTo("add")).toBe("3");
      expect([tides.refreshes, tides.reuses, tides.codesUsed]).toEqual([1, 0, 1]);
    },
  );
});
