import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../config/parse-config.ts";
import { ConfigInvalid } from "../../config/problems/problem.ts";
import { defaultApprovals } from "../../core/approvals/config.ts";
import { defaultDelegation, defaultPeering } from "../../core/turns/limits/agent-limits.ts";
import { MINIMAL, problemsOf } from "./problems-of.ts";

const parse = (text: string, env: Record<string, string> = {}) => parseConfig({ file: "test.yaml", text, env });

describe("given a file without optional settings", () => {
  it("then it has the defaults", () => {
    expect(parse(MINIMAL)).toEqual({
      adapters: expect.anything(),
      gateway: {
        host: "127.0.0.1",
        port: 8080,
        drainMs: 5_000,
        trustedProxies: [],
        limits: {
          connections: 25_000,
          connectionsPerAddress: 500,
          requestsPerSecond: 200,
          requestBurst: 2_000,
          bodyBytes: 250_000_000,
          waitingMessages: 10_000,
        },
      },
      core: { host: "127.0.0.1" },
      backbone: "embedded",
      dataDir: "./data",
      logLevel: "info",
      metrics: { public: false },
      telemetry: { sampleRatio: 1, serviceName: "mooring" },
      admin: { tokens: [] },
      tenants: { default: { a2aAsync: false, budgets: {}, storedBytes: 4_000_000_000, uploads: 128 } },
      prices: {},
      people: [],
      groups: {},
      a2a: { callers: {}, peers: {}, pushAllow: [], idleMs: 120_000 },
      agents: [
        {
          name: "mooring",
          tenant: "default",
          model: expect.anything(),
          tools: [],
          subtaskModels: {},
          fallbackModels: [],
          fetchUrl: { hosts: [], allowNetworks: [], maxBytes: 5_000_000, timeoutMs: 20_000 },
          maxToolRounds: 8,
          maxTurnsPerPerson: 5,
          rights: {},
          files: { maxBytes: 20_000_000, keepDays: 7 },
          pauseSchedulesAfterDays: 30,
          budgets: {},
          delegation: defaultDelegation,
          memory: { maxEntries: 200, maxBytes: 64_000 },
          peering: defaultPeering,
          approvals: defaultApprovals,
          mcpServers: {},
          schedules: [],
          skills: [],
          peers: [],
        },
      ],
      channels: {},
    });
  });

  it("when there is one agent, then it answers on every channel", () => {
    const { channels } = parse(`${MINIMAL}channels: { web: { adapter: web } }`);
    expect(channels).toMatchObject({
      web: { adapter: "web", agent: "mooring", allowedOrigins: [], retentionDays: 30 },
    });
  });

  it("when NATS is chosen, then prefix, replicas and partitions have defaults", () => {
    const { backbone } = parse(`${MINIMAL}backbone: { nats: { servers: ["nats://127.0.0.1:4222"] } }`);
    expect(backbone).toMatchObject({
      nats: { servers: ["nats://127.0.0.1:4222"], prefix: "mooring", replicas: 1, partitions: 32 },
    });
  });

  it("when publicUrl ends with a slash, then the slash is removed", () => {
    expect(parse(`${MINIMAL}gateway: { publicUrl: "https://chat.example/" }`).gateway.publicUrl).toBe(
      "https://chat.example",
    );
  });
});

describe("given a parsed configuration", () => {
  it("then it is deeply frozen", () => {
    const config = parse(`${MINIMAL}channels: { web: { adapter: web } }`);
    const { web } = config.channels;
    const origins = web && "allowedOrigins" in web ? web.allowedOrigins : undefined;
    const inner = [config, config.gateway, config.agents, config.agents[0], web, origins];
    expect(inner.every((part) => Object.isFrozen(part))).toBe(true);
    expect(() => Object.assign(config.gateway, { port: 1 })).toThrow(TypeError);
  });
});

describe("given a file with several mistakes (U1)", () => {
  const text = [
    "gateway: { prot: 8080 }",
    "agents:",
    "  - name: Mooring",
    "    modl: demo",
    "channels:",
    "  web:",
    "    adapter: web",
    "    agent: moorin",
    "    retentionDays: soon",
    '    signingKey: "${KEY}"',
  ].join("\n");

  it("then all are reported at once, in file order, each with its path, line and a fix", () => {
    expect(problemsOf(text)).toEqual([
      { path: "gateway.prot", line: 1, message: 'is an unknown key; did you mean "port"?' },
      {
        path: "agents[0].name",
        line: 3,
        message: 'must be lower-case letters, digits and "-", and begin with a letter or digit',
      },
      { path: "agents[0].model", line: 3, message: 'is missing: it must be "demo" or a map of keys and values' },
      { path: "agents[0].modl", line: 4, message: 'is an unknown key; did you mean "model"?' },
      {
        path: "channels.web.agent",
        line: 8,
        message: 'names an agent that is not in this file; did you mean "Mooring"?',
      },
      { path: "channels.web.retentionDays", line: 9, message: "must be a number" },
      {
        path: "channels.web.signingKey",
        line: 10,
        message: "needs the environment variable KEY, which is not set: set it and start again",
      },
    ]);
  });

  it("then the message is a list that can be printed unchanged", () => {
    const text = `${MINIMAL}dataDir: 7\nchannels: { web: { adapter: web, retentionDays: 0 } }`;
    expect(() => parse(text)).toThrow(ConfigInvalid);
    expect(() => parse(text)).toThrow(
      [
        "test.yaml has 2 problems:",
        "  dataDir (line 2): must be text: put it in quotes",
        "  channels.web.retentionDays (line 3): must be at least 1",
      ].join("\n"),
    );
  });
});

describe("given a value that the schema refuses", () => {
  const web = (rest: string) => `${MINIMAL}channels: { web: { adapter: web, ${rest} } }`;
  const nats = (rest: string) => `${MINIMAL}backbone: { nats: { servers: ["nats://h:4222"], ${rest} } }`;

  it.each([
    ["an empty file", "", "", "is empty: it must be a map of keys and values"],
    ["a list", "- a", "", "must be a map of keys and values"],
    ["no agents", "agents: []", "agents", "must have at least one entry"],
    ["a key with nothing after it", `${MINIMAL}gateway:`, "gateway", "is empty: it must be a map of keys and values"],
    ["an unknown adapter", `${MINIMAL}channels: { a: { adapter: webb } }`, "channels.a.adapter", 'did you mean "web"?'],
    ["another unknown key", web("colour: red"), "channels.web.colour", "is an unknown key: remove it; known keys are"],
    [
      "an origin with a path",
      web('allowedOrigins: ["https://a.example/x"]'),
      "channels.web.allowedOrigins[0]",
      "no path",
    ],
    ["a short signing key", web("signingKey: short"), "channels.web.signingKey", "must have at least 32 characters"],
    [
      "a reserved channel",
      `${MINIMAL}channels: { scheduled: { adapter: web } }`,
      "channels.scheduled",
      "reserved name",
    ],
    ["the other one", `${MINIMAL}channels: { a2a-inbound: { adapter: web } }`, "channels.a2a-inbound", "reserved name"],
    ["a channel's bad name", `${MINIMAL}channels: { "my web": { adapter: web } }`, "channels[…]", "must be lower-case"],
    [
      "a long name",
      `agents: [{ name: ${"a".repeat(41)}, model: demo }]`,
      "agents[0].name",
      "must have at most 40 characters",
    ],
    ["a port past the last", `${MINIMAL}gateway: { port: 65536 }`, "gateway.port", "must be at most 65535"],
    [
      "a peer's deadline beyond what messages are kept for",
      `${MINIMAL}a2a: { peers: { x: { url: "https://x.example", deadlineMs: 604800000 } } }`,
      "a2a.peers.x.deadlineMs",
      "must be at most 518400000",
    ],
    ["half a port", `${MINIMAL}gateway: { port: 80.5 }`, "gateway.port", "must be a whole number"],
    [
      "a public address with a path",
      `${MINIMAL}gateway: { publicUrl: "https://a/b" }`,
      "gateway.publicUrl",
      "without a path",
    ],
    [
      "a limit of a budget",
      `${MINIMAL}tenants: { default: { budgets: { tenant: { turnsPerDay: many } } } }`,
      "tenants.default.budgets.tenant.turnsPerDay",
      'must be a number or "unlimited"',
    ],
    [
      "a share of a budget",
      `${MINIMAL}tenants: { default: { budgets: { person: { softShare: 80 } } } }`,
      "tenants.default.budgets.person.softShare",
      "must be",
    ],
    [
      "a scope of a budget",
      `${MINIMAL}tenants: { default: { budgets: { people: { turnsPerDay: 1 } } } }`,
      "tenants.default.budgets.people",
      "is an unknown key",
    ],
    ["a price", `${MINIMAL}prices: { m: { input: -1, output: 1 } }`, "prices.m.input", "must be"],
    [
      "a switch",
      `${MINIMAL}tenants: { default: { a2aAsync: maybe } }`,
      "tenants.default.a2aAsync",
      "must be true or false",
    ],
    ["an unknown backbone", `${MINIMAL}backbone: redis`, "backbone", 'must be "embedded" or a map'],
    [
      "no servers",
      `${MINIMAL}backbone: { nats: { servers: [] } }`,
      "backbone.nats.servers",
      "must have at least one entry",
    ],
    ["a password in an address", nats("").replace("//h", "//u:p@h"), "backbone.nats.servers[0]", "keys of their own"],
    ["half a room", "agents: [{ name: a, model: demo, home: { channel: web } }]", "agents[0].home.room", "is missing"],
    ["two copies", nats("replicas: 2"), "backbone.nats.replicas", "must be 1, 3 or 5"],
    ["no part", nats("partitions: 0"), "backbone.nats.partitions", "must be at least 1"],
    ["a prefix with a dot", nats("prefix: a.b"), "backbone.nats.prefix", "must be 1 to 32 letters"],
    ["a user without password", nats("user: u"), "backbone.nats", "user and password go together"],
    ["two ways to sign in", nats("token: t, credentialsFile: f"), "backbone.nats", "choose one way"],
    ["a misspelt key of an alternative", nats("prefxi: a"), "backbone.nats.prefxi", 'did you mean "prefix"?'],
    [
      "the digest of an empty secret",
      `${MINIMAL}a2a: { callers: { crm: { token: "sha256:${createHash("sha256").digest("hex")}" } } }`,
      "a2a.callers.crm.token",
      "digest of an empty text",
    ],
    [
      "a short admin token",
      `${MINIMAL}admin: { tokens: [{ token: t, role: platform_admin }] }`,
      "admin.tokens[0].token",
      "20",
    ],
    [
      "an unknown role",
      `${MINIMAL}admin: { tokens: [{ token: t, role: org_admn }] }`,
      "admin.tokens[0].role",
      '"org_admin"?',
    ],
  ])("%s", (_, text, path, message) => {
    expect(problemsOf(text)).toContainEqual(
      expect.objectContaining({ path, message: expect.stringContaining(message) }),
    );
  });

  it("when ids are numbers, then the problem says to quote them, because large ones would lose digits", () => {
    const text = `${MINIMAL}channels: { web: { adapter: web } }\npeople: [{ name: A, accounts: { web: 123456789012345678 } }]`;
    expect(problemsOf(text)).toEqual([
      { path: "people[0].accounts.web", line: 3, message: "must be text: put it in quotes" },
    ]);
  });

  it("when a platform admin has a tenant, then the key is unknown", () => {
    const text = `${MINIMAL}admin: { tokens: [{ token: kX9-vQ2_mT7.wZ4-pR1b, role: platform_admin, tenant: default }] }`;
    expect(problemsOf(text)).toEqual([
      { path: "admin.tokens[0].tenant", line: 2, message: "is an unknown key: remove it; known keys are token, role" },
    ]);
  });
});
