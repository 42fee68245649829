import { describe, expect, it } from "vitest";
import { parseConfig, spellPath } from "../../../config/index.ts";
import { planReload } from "../../../gateway/reload/reload-plan.ts";

const MODEL = { provider: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1", model: "m", apiKey: "key-one" };
const agent = { name: "mooring", model: MODEL, subtaskModels: { small: MODEL } };
const OPERATOR = "qpzm-alwo-skxn-eidc-jrfu-vbgt";
const slack = { adapter: "slack", agent: "mooring", botToken: "xoxb-one", signingSecret: "a-signing-secret" };
const settings = {
  admin: { tokens: [{ token: OPERATOR, role: "platform_admin" }] },
  a2a: { callers: { ship: { token: "mxnw-cbvq-ytru-eowp" } } },
  agents: [agent, { name: "clerk", model: "demo" }],
  people: [{ name: "Ann", accounts: { web: "ann" } }],
  channels: { web: { adapter: "web", agent: "mooring" }, slack },
};

const parse = (config: object) =>
  parseConfig({ file: "mooring.yaml", text: JSON.stringify({ ...settings, ...config }), env: {} });
const plan = (config: object, misfits: readonly string[] = []) => {
  const { applied, needsRestart, ...rest } = planReload(parse({}), parse(config), misfits);
  return { ...rest, applied: applied.map(spellPath), needsRestart: needsRestart.map(spellPath) };
};
const NOTHING = { applied: [], needsRestart: [], replacesModels: false, restartsAgents: false, channels: [] };

describe("given a changed configuration (U5)", () => {
  it("when nothing differs, then nothing happens", () => {
    expect(plan({})).toMatchObject(NOTHING);
  });

  it.each<[string, object, string]>([
    ["the level of the log", { logLevel: "debug" }, "logLevel"],
    [
      "an operator's token",
      { admin: { tokens: [{ token: `${OPERATOR}-2`, role: "platform_admin" }] } },
      "admin.tokens[0].token",
    ],
    ["access to metrics", { metrics: { public: true } }, "metrics.public"],
    ["a caller's token", { a2a: { callers: { ship: { token: "mxnw-cbvq-ytru-eowp-2" } } } }, "a2a.callers.ship.token"],
  ])("when %s changes, then no part restarts", (_, change, path) => {
    expect(plan(change)).toMatchObject({ ...NOTHING, applied: [path] });
  });

  it("when keys of models change, then only the requests change", () => {
    const next = { ...MODEL, apiKey: "key-two" };
    const agents = [
      { ...agent, model: next, subtaskModels: { small: next } },
      { name: "clerk", model: "demo" },
    ];
    expect(plan({ agents })).toMatchObject({
      ...NOTHING,
      applied: ["agents[0].model.apiKey", "agents[0].subtaskModels.small.apiKey"],
      replacesModels: true,
    });
  });

  it.each([
    ["the size of the history", { ...agent, model: { ...MODEL, contextTokens: 9_000 } }],
    ["the names of models for subtasks", { ...agent, subtaskModels: { large: MODEL } }],
    [
      "an agent elsewhere in place of the model",
      { name: "mooring", model: { provider: "a2a", url: "http://127.0.0.1:1" } },
    ],
    ["directives", { ...agent, directives: "Be brief." }],
  ])("when %s changes, then the agents restart", (_, changed) => {
    const found = plan({ agents: [changed, { name: "clerk", model: "demo" }] });
    expect(found).toMatchObject({ restartsAgents: true, channels: [], needsRestart: [] });
  });

  it("when a channel's token changes, then that channel restarts and no other", () => {
    const channels = { ...settings.channels, slack: { ...slack, botToken: "xoxb-two" } };
    const { config, ...rest } = plan({ channels });
    expect(rest).toMatchObject({ ...NOTHING, applied: ["channels.slack.botToken"], channels: ["slack"] });
    expect(config.channels.web).toEqual(parse({}).channels.web);
    expect(plan({ channels }, ["slack"])).toMatchObject({ ...NOTHING, needsRestart: ["channels.slack.botToken"] });
  });

  it("when people change, then agents and all channels restart, because both use them", () => {
    expect(plan({ people: [] })).toMatchObject({ restartsAgents: true, channels: ["web", "slack"] });
  });

  it.each<[string, object, string[]]>([
    ["the port", { gateway: { port: 1 } }, ["gateway.port"]],
    ["the backbone", { backbone: { nats: { servers: ["nats://127.0.0.1:1"] } } }, ["backbone"]],
    ["the last operator's token", { admin: { tokens: [] } }, ["admin.tokens"]],
    [
      "the skills of an agent that others call",
      {
        agents: [
          { ...agent, description: "It sails." },
          { name: "clerk", model: "demo" },
        ],
      },
      ["agents[0].description"],
    ],
    [
      "the agents that others can call",
      { a2a: { callers: { ship: { token: "mxnw-cbvq-ytru-eowp", agents: ["clerk"] } } } },
      ["a2a.callers.ship.agents"],
    ],
    [
      "the adapter of a channel",
      { channels: { web: { adapter: "web", agent: "mooring" }, slack: { adapter: "web", agent: "mooring" } } },
      ["channels.slack.adapter", "channels.slack.signingSecret"],
    ],
  ])("when %s changes, then it needs a restart", (_, change, expected) => {
    expect(plan(change).needsRestart).toEqual(expect.arrayContaining(expected.slice(0, 1)));
    expect(plan(change)).toMatchObject({ restartsAgents: false });
  });

  it("when a new channel needs a restart, then people and agents that may refer to it wait as well, and tokens do not", () => {
    const channels = {
      web: { adapter: "web", agent: "mooring" },
      slack: { ...slack, botToken: "xoxb-two" },
      shop: { adapter: "web", agent: "mooring" },
    };
    const { config, ...rest } = plan({
      channels,
      people: [{ name: "Ann", accounts: { shop: "ann" } }],
      logLevel: "warn",
    });
    expect(rest).toMatchObject({
      applied: ["logLevel", "channels.slack.botToken"],
      needsRestart: ["people[0].accounts.web", "people[0].accounts.shop", "channels.shop"],
      restartsAgents: false,
      channels: ["slack"],
    });
    expect(Object.keys(config.channels)).toEqual(["web", "slack"]);
    expect(config.people).toEqual(parse({}).people);
    // The next reload compares with the configuration in force.
    expect(planReload(config, parse({ channels, logLevel: "warn" })).applied).toEqual([]);
  });
});
