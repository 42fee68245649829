import { fakeServer } from "../fakes/mcp/fake-server.ts";
import { objectIdOf } from "../fakes/teams/sent-activity.ts";
import { BUILDER, HARBOUR, PILOT, RUN } from "./frozen-model.ts";
import type { Platforms } from "./platforms.ts";

export const OPERATOR_TOKEN = "operator-of-the-frozen-data";
export const CALLER_TOKEN = "caller-of-the-frozen-data";

/** Visitors do what members may do by default. */
const RIGHTS = {
  member: ["default", "tool:*"],
  anonymous: ["default", "peers", "schedule", "remember", "workspace", "confirm", "tool:*"],
};

/** High enough for all of the work; low limits would end it. */
const BUDGET = {
  turnsPerDay: 10_000,
  turnsAtOnce: 100,
  subtasksAtOnce: 100,
  schedulesAtOnce: 100,
  tokensPerDay: 10_000_000,
};

/**
 * Names in stored records (agents, channels, people, callers, peers), which stay the same in the test of every version.
 */
export const frozenConfig = (
  { model, slack, discord, teams, telegram, weather, changeUrl }: Platforms,
  backbone: object | string,
  { port, repository }: { readonly port: number; readonly repository: string },
) => {
  const modelFor = (name: string) => ({
    provider: "openai-compatible",
    baseUrl: model.baseUrl,
    model: name,
    apiKey: "none",
    contextTokens: 4_000,
  });
  return {
    gateway: { host: "127.0.0.1", port, publicUrl: `http://127.0.0.1:${port}` },
    backbone,
    dataDir: "./data",
    logLevel: "info",
    admin: { tokens: [{ token: OPERATOR_TOKEN, role: "platform_admin" }] },
    tenants: { default: { a2aAsync: false } },
    people: [{ name: "Bob", accounts: { slack: "U0BOB", teams: objectIdOf("bob") } }],
    a2a: {
      callers: { crm: { token: CALLER_TOKEN, agents: ["mooring"] } },
      peers: { weather: { url: weather.url } },
      pushAllow: ["127.0.0.0/8"],
    },
    agents: [
      {
        name: "mooring",
        model: modelFor("mooring"),
        description: "Knows harbours.",
        skills: [{ id: "facts", name: "Facts", description: "Facts.", tellPeople: true }],
        peers: [HARBOUR, "weather"],
        delegation: { running: 3 },
        rights: RIGHTS,
        tools: [{ name: "change", description: "Changes it.", method: "PUT", url: changeUrl, approval: "ask" }],
        mcpServers: { art: fakeServer({ tools: [{ name: "art", inputSchema: { type: "object" } }] }) },
        budgets: { visitor: BUDGET, person: BUDGET },
        home: { person: "Bob" },
        schedules: [{ name: "brief", description: "Morning brief #brief", prompt: "brief #brief", when: "0 9 1 1 *" }],
      },
      {
        name: BUILDER,
        model: modelFor(BUILDER),
        workspace: { repository, commands: [RUN] },
        rights: RIGHTS,
      },
      { name: PILOT, model: { provider: "a2a", url: weather.url } },
      { name: HARBOUR, model: modelFor(HARBOUR), description: "Knows depths.", peers: ["mooring"] },
    ],
    channels: {
      web: { adapter: "web", agent: "mooring" },
      yard: { adapter: "web", agent: BUILDER },
      pilots: { adapter: "web", agent: PILOT },
      telegram: {
        adapter: "telegram",
        agent: "mooring",
        botToken: telegram.token,
        apiUrl: telegram.apiUrl,
        access: { accounts: "*", rooms: "*" },
      },
      shop: { adapter: "web", agent: "mooring" },
      slack: {
        adapter: "slack",
        agent: "mooring",
        botToken: slack.botToken,
        apiUrl: slack.apiUrl,
        signingSecret: slack.signingSecret,
      },
      discord: {
        adapter: "discord",
        agent: "mooring",
        botToken: discord.token,
        apiUrl: discord.apiUrl,
        access: { guilds: "*" },
      },
      teams: { ...teams.config, agent: "mooring" },
    },
  };
};
