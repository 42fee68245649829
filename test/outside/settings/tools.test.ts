import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { projectRoot } from "../../setup/project-files.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { type RunningProduct, SettingsRig } from "./settings-rig.ts";
import { ToolService } from "./tool-service.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let service: ToolService;
let mooring: RunningProduct;
let folder: string;

/** "use NAME {…}" calls that tool, and the answer is its output. SERVICE is the address, so that the person did not write it. */
const obeys = ({ lastUserText, toolOutputs }: ModelRequest) => {
  if (toolOutputs.length > 0) return says(toolOutputs.join("\n"));
  const [, name = "", input = "{}"] = /^use (\S+) (\{.*\})/.exec(lastUserText) ?? [];
  return name === "" ? says("fine") : calls([{ name, arguments: JSON.parse(input.replace("SERVICE", service.url)) }]);
};

const id = { properties: { id: { type: "string" }, limit: { type: "integer" } }, required: ["id"] };
const httpTools = () => [
  { name: "order", description: "One order", url: `${service.url}/orders/{id}?lang=en`, input: id },
  {
    name: "create",
    description: "Creates an order",
    method: "POST",
    url: `${service.url}/orders`,
    headers: { Authorization: "Bearer token-of-the-service" },
    input: { properties: { item: { type: "string" } }, required: ["item"] },
  },
  { name: "remove", description: "Deletes it", method: "DELETE", url: `${service.url}/removed/{id}`, input: id },
  {
    name: "remove_now",
    description: "Deletes it",
    method: "DELETE",
    url: `${service.url}/removed-now/{id}`,
    input: id,
    approval: "never",
  },
  { name: "change", description: "Changes it", method: "PUT", url: `${service.url}/changed`, approval: "ask" },
  { name: "change_for_good", description: "x", url: `${service.url}/x`, approval: "ask", destructive: true },
  {
    name: "secret",
    description: "x",
    url: `${service.url}/secret`,
    headers: { authorization: "Bearer token-of-mine" },
  },
  { name: "hang", description: "x", url: `${service.url}/hang/short`, timeoutMs: 300 },
  { name: "big", description: "x", url: `${service.url}/big`, maxBytes: 1_000 },
  { name: "moved", description: "x", url: `${service.url}/moved` },
  { name: "broken", description: "x", url: `${service.url}/broken` },
  { name: "image", description: "x", url: `${service.url}/image/map.png` },
];

const MODULE = (zod: string) => `
  import { z } from ${JSON.stringify(zod)};
  export const double = { contract: 1, name: "double", description: "Doubles", input: z.object({ n: z.number() }),
    run: async ({ n }) => String(2 * n) };
  export const broken = { contract: 1, name: "failing", description: "Fails", input: z.object({}),
    run: async () => { throw new Error("the database is closed"); } };
  export const careless = { contract: 1, name: "careless", description: "Forgets", input: z.object({}), run: async () => {
    setTimeout(() => { throw new Error("thrown in a timer"); }, 0);
    void Promise.reject(new Error("forgotten promise"));
    queueMicrotask(() => { throw new Error("thrown in a microtask"); });
    return "careless ran";
  } };`;

const config = () => {
  const agent = (name: string, more: object) => ({ name, model: models.named(name, obeys), ...more });
  const host = new URL(service.url).host;
  const agents = [
    agent("tooled", {
      tools: ["./my-tools.mjs", "./faulty.mjs", ...httpTools()],
      rights: { anonymous: ["default", "tool:*"] },
      fetchUrl: { allowNetworks: ["127.0.0.0/8"], timeoutMs: 5_000 },
    }),
    agent("plain", { tools: ["./my-tools.mjs", ...httpTools()] }),
    agent("reader", {
      rights: { anonymous: ["default", "tool:fetch_url"] },
      fetchUrl: { hosts: [host], allowNetworks: ["127.0.0.0/8"], maxBytes: 10_000 },
    }),
    agent("impatient", {
      rights: { anonymous: ["default", "tool:fetch_url"] },
      fetchUrl: { hosts: [host], allowNetworks: ["127.0.0.0/8"], timeoutMs: 300 },
    }),
    agent("public", { rights: { anonymous: ["default", "tool:fetch_url"] }, fetchUrl: { hosts: [host] } }),
  ];
  const channels = agents.map(({ name }) => [name, { adapter: "web", agent: name }]);
  return { agents, channels: Object.fromEntries(channels) };
};

beforeAll(async () => {
  models = await rig.models();
  service = rig.owns(await ToolService.start());
  folder = await rig.folder();
  const zod = pathToFileURL(join(projectRoot, "node_modules/zod/index.js")).href;
  await writeFile(join(folder, "my-tools.mjs"), MODULE(zod));
  await writeFile(join(folder, "faulty.mjs"), 'throw new Error("no licence");');
  mooring = await rig.start(config(), { folder });
});

let asked = 0;
const asks = async (agent: string, text: string): Promise<string> => {
  const client = mooring.client(`asker-${asked++}`, agent);
  return String((await client.answerTo(client.say(text))).markdown);
};
const uses = (name: string, input: object = {}, agent = "tooled", more = "") =>
  asks(agent, `use ${name} ${JSON.stringify(input)} ${more}`);

describe("given an agent with tools of the operator (T1)", () => {
  proves(
    ["agents[].tools[].name", "agents[].tools[].url", "agents[].tools[].input", "agents[].tools[].description"],
    "when the model calls an HTTP tool, then its arguments are in path and query, and the model knows the tool",
    async () => {
      expect(await uses("order", { id: "a/../b", limit: 5, lang: "de" })).toContain('"answered":"GET"');
      expect(service.requests("/orders/a%2F..%2Fb").map(({ path }) => path)).toEqual([
        "/orders/a%2F..%2Fb?lang=en&limit=5",
      ]);
      const [request] = await models.asked("tooled");
      expect(JSON.stringify(request.body.tools)).toContain("One order");
      expect(await uses("order", { limit: "many" })).toContain("do not fit the tool's schema");
    },
  );

  proves(
    ["agents[].tools[].method", "agents[].tools[].headers"],
    "when a tool has another method and headers, then arguments are in the body, with the headers and a key",
    async () => {
      await uses("create", { item: "rope" });
      expect(service.requests("/orders")).toMatchObject([
        {
          method: "POST",
          body: '{"item":"rope"}',
          headers: { authorization: "Bearer token-of-the-service", "idempotency-key": expect.stringMatching(/^t-/) },
        },
      ]);
      expect(await uses("secret")).toBe("you sent [secret]");
    },
  );

  proves(
    ["agents[].tools[].approval", "agents[].tools[].destructive"],
    "when a tool asks for approval, then it does not run, and `check` says so",
    async () => {
      await uses("remove", { id: "1" });
      await uses("change");
      expect([...service.requests("/removed/1"), ...service.requests("/changed")]).toEqual([]);
      await uses("remove_now", { id: "1" });
      expect(service.requests("/removed-now/1")).toHaveLength(1);
      const { process } = await rig.run(config(), { command: "check", folder });
      await process.exited;
      const printed = process.stdout();
      expect(printed).toMatch(/change +http, asks first: anonymous/);
      expect(printed).toMatch(/change_for_good +http, asks before each call: anonymous/);
      expect(printed).toMatch(/order +http: anonymous/);
    },
  );

  proves(
    ["agents[].tools[].timeoutMs", "agents[].tools[].maxBytes"],
    "when a service is slow or its answer large, then the call fails and the turn goes on",
    async () => {
      expect(await uses("hang")).toContain("did not return within");
      service.release();
      expect(await uses("big")).toContain("more than 1000 bytes");
    },
  );

  it("when a service redirects, fails or sends a file, then the model learns it", async () => {
    expect(await uses("moved")).toContain("redirects elsewhere");
    expect(await uses("broken")).toContain("answered HTTP 500: out of order");
    expect(await uses("image")).toContain("map.png (image/png, 9 bytes)");
  });

  it("when modules are configured, then their tools work, a failing one fails alone, and a faulty module is reported", async () => {
    expect(await uses("double", { n: 21 })).toBe("42");
    expect(await uses("failing")).toBe("the database is closed");
    expect(await uses("double", { n: "x" })).toContain("do not fit");
    const { process } = await rig.run(config(), { command: "check", folder });
    expect((await process.exited).code).not.toBe(0);
    expect(process.stdout()).toContain("module faulty.mjs cannot be loaded: no licence");
    const [request] = await models.asked("tooled");
    expect(JSON.stringify(request.body.messages)).toContain("the tools of faulty.mjs: the module has a fault");
  });

  it("when a module throws outside of its call, then the log names it and the process goes on", async () => {
    expect(await uses("careless")).toBe("careless ran");
    const logged = (text: string) => mooring.process.stderr().includes(text);
    for (const error of ["thrown in a timer", "forgotten promise", "thrown in a microtask"])
      await expect.poll(() => logged(error)).toBe(true);
    expect(logged('"module":"my-tools.mjs"')).toBe(true);
    expect(await uses("double", { n: 21 })).toBe("42");
  });

  it("when no speaker has the right, then the model is offered none of the tools (R1)", async () => {
    await uses("double", { n: 1 }, "plain");
    const offered = models.requests("plain").flatMap(({ toolNames }) => toolNames);
    expect(offered.filter((name) => ["double", "order", "fetch_url"].includes(name))).toEqual([]);
  });
});

describe("given the tool fetch_url (T1)", () => {
  proves(
    ["agents[].fetchUrl.hosts"],
    "when an address is on an allowed host or the person wrote it, then its text is read, else not",
    async () => {
      const page = `${service.url}/page`;
      expect(await uses("fetch_url", { url: "SERVICE/page" }, "reader")).toContain("High water is at 14:20.");
      expect(await uses("fetch_url", { url: "SERVICE/page" })).toContain("only addresses that the person wrote");
      expect(await uses("fetch_url", { url: "SERVICE/page" }, "tooled", `please read ${page}.`)).toContain("# Tides");
      const client = mooring.client("earlier", "tooled");
      await client.answerTo(client.say(`look at (${page})`));
      const later = await client.answerTo(client.say('use fetch_url {"url":"SERVICE/page"}'));
      expect(later.markdown).toContain("High water");
      expect(await uses("fetch_url", { url: "SERVICE/page?data=private" }, "tooled", `read ${page}`)).toContain(
        "only addresses",
      );
    },
  );

  proves(
    ["agents[].fetchUrl.allowNetworks", "agents[].fetchUrl.maxBytes", "agents[].fetchUrl.timeoutMs"],
    "when a page is private, too large or too slow, then it is not read",
    async () => {
      const read = (path: string, agent = "reader") => uses("fetch_url", { url: `SERVICE${path}` }, agent);
      expect(await read("/page", "public")).toContain("is not a public address");
      expect(await read("/big")).toContain("more than 10000 bytes");
      expect(await read("/hang/page", "impatient")).toContain("did not return within");
      service.release();
    },
  );

  it("when a page redirects, then it is followed on the same host only", async () => {
    const read = (path: string) => uses("fetch_url", { url: `SERVICE${path}` }, "reader");
    expect(await read("/near")).toContain("High water");
    expect(await read("/moved")).toContain("redirects to");
    expect(await read("/image")).toContain("image/png, which cannot be read as text");
  });
});
