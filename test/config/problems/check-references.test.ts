import { describe, expect, it } from "vitest";
import { MINIMAL, problemsOf } from "../problems-of.ts";

const web = "channels: { web: { adapter: web } }\n";
const SKILL = "{ id: facts, name: Facts, description: Knows facts. }";
const TOKEN = "kX9-vQ2_mT7.wZ4-pR1b";

const SCHEDULE = "name: s, description: d, prompt: p, when: every 2 h";

describe("given a file whose sections refer to each other", () => {
  it.each([
    [
      "a channel's agent",
      `${MINIMAL}channels: { web: { adapter: web, agent: other } }`,
      "channels.web.agent",
      "one of: mooring",
    ],
    ["an agent's tenant", "agents: [{ name: a, model: demo, tenant: acme }]", "agents[0].tenant", "one of: default"],
    ["the default tenant", `${MINIMAL}tenants: { acme: {} }`, "agents[0].tenant", "one of: acme"],
    [
      "an operator's tenant",
      `${MINIMAL}admin: { tokens: [{ token: ${TOKEN}, role: org_admin, tenant: defalt }] }`,
      "admin.tokens[0].tenant",
      'did you mean "default"?',
    ],
    [
      "a person's channel",
      `${MINIMAL}people: [{ name: Ada, accounts: { slack: U1 } }]`,
      "people[0].accounts.slack",
      "(none yet)",
    ],
    ["a home's person", "agents: [{ name: a, model: demo, home: { person: Ada } }]", "agents[0].home.person", "person"],
    [
      "a schedule's person",
      `agents: [{ name: a, model: demo, schedules: [{ ${SCHEDULE}, deliverTo: { person: Ada } }] }]`,
      "agents[0].schedules[0].deliverTo.person",
      "person",
    ],
    [
      "a home's channel",
      "agents: [{ name: a, model: demo, home: { channel: web, room: r } }]",
      "agents[0].home.channel",
      "channel",
    ],
  ])("when %s does not exist, then that is a problem", (_, text, path, advice) => {
    expect(problemsOf(text)).toEqual([
      expect.objectContaining({ path, message: expect.stringMatching(/^names an? .* that is not in this file/) }),
    ]);
    expect(problemsOf(text)[0]?.message).toContain(advice);
  });

  it("when there are two agents, then each channel must name its agent", () => {
    const text = `agents: [{ name: a, model: demo }, { name: b, model: demo }]\n${web}`;
    expect(problemsOf(text)).toEqual([
      {
        path: "channels.web.agent",
        line: 2,
        message: "is missing: with more than one agent, each channel must name its agent",
      },
    ]);
  });

  it("when a schedule has no target for its results, then that is a problem (P2)", () => {
    expect(problemsOf(`agents: [{ name: a, model: demo, schedules: [{ ${SCHEDULE} }] }]`)).toMatchObject([
      {
        path: "agents[0].schedules[0].deliverTo",
        message: expect.stringContaining("so that results have a destination"),
      },
    ]);
  });

  const NEWS = "id: news, name: News, description: Takes news";
  const callers = (more = "") => `a2a: { callers: { crm: { token: ${TOKEN}${more} } } }`;
  const telling = (more = "", agent = "") =>
    `agents: [{ name: a, model: demo${agent}, skills: [{ ${NEWS}, tellPeople: true${more} }] }]`;

  it.each([
    ["nothing", `${telling()}\n${callers()}\n${web}`, 1],
    ["nothing, and no caller", `${telling()}\n${web}`, 1],
    ["its own place", `${telling(", deliverTo: { channel: web, room: lobby }")}\n${callers()}\n${web}`, 0],
    ["a home", `${telling("", ", home: { channel: web, room: lobby }")}\n${callers()}\n${web}`, 0],
    ["callers with places", `${telling()}\n${callers(", deliverTo: { channel: web, room: lobby }")}\n${web}`, 0],
  ])("when a skill tells people and has %s, then that is a problem if there is no place (A10)", (_, text, problems) => {
    expect(problemsOf(text)).toHaveLength(problems);
    if (problems > 0) {
      expect(problemsOf(text)).toMatchObject([
        { path: "agents[0].skills[0].tellPeople", message: expect.stringContaining("has no place to tell people") },
      ]);
    }
  });

  it("when places of skills and callers name unknown people or channels, then these are problems (A10)", () => {
    const text = `${telling(", deliverTo: { person: Bo }")}\n${callers(", deliverTo: { channel: chat, room: x }")}\n${web}`;
    expect(
      problemsOf(text)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(["a2a.callers.crm.deliverTo.channel", "agents[0].skills[0].deliverTo.person"]);
  });

  it.each([
    ["an agent's peer", "agents: [{ name: a, model: demo, peers: [b] }]", "agents[0].peers[0]", "names a peer"],
    ["itself", "agents: [{ name: a, model: demo, peers: [a] }]", "agents[0].peers[0]", "names the agent itself"],
    [
      "an agent that does not name the other",
      "agents: [{ name: a, model: demo, peers: [b] }, { name: b, model: demo }]",
      "agents[0].peers[0]",
      'does not list "a" in its own peers: add it there, because both agents must list each other',
    ],
    [
      "a caller's agent",
      `${MINIMAL}a2a: { callers: { crm: { token: ${TOKEN}, agents: [x] } } }`,
      "a2a.callers.crm.agents[0]",
      "names an agent",
    ],
    [
      "a caller's skill",
      `${MINIMAL}a2a: { callers: { crm: { token: ${TOKEN}, skills: [x] } } }`,
      "a2a.callers.crm.skills[0]",
      "names a skill",
    ],
    [
      "a caller's tenant",
      `${MINIMAL}a2a: { callers: { x: { token: ${TOKEN}, tenant: y } } }`,
      "a2a.callers.x.tenant",
      "names a tenant",
    ],
    [
      "an agent of another tenant",
      `tenants: { default: {}, acme: {} }
agents: [{ name: a, model: demo, tenant: acme }]
a2a: { callers: { x: { token: ${TOKEN}, agents: [a] } } }`,
      "a2a.callers.x.agents[0]",
      'belongs to the tenant "acme"',
    ],
    [
      "a peer's tenant",
      `${MINIMAL}a2a: { peers: { x: { url: "https://x.example", tenant: y } } }`,
      "a2a.peers.x.tenant",
      "names a tenant",
    ],
    [
      "an agent's name",
      `${MINIMAL}a2a: { peers: { mooring: { url: "https://x.example" } } }`,
      "a2a.peers.mooring",
      "has the same name as an agent",
    ],
  ])("when A2A refers to %s, then that is a problem", (_, text, path, message) => {
    expect(problemsOf(text)).toEqual([expect.objectContaining({ path, message: expect.stringContaining(message) })]);
  });

  it.each([
    ["nothing to know a caller by", "{ agents: [mooring] }", "needs a token or an apiKey"],
    ["two things to know a caller by", `{ token: ${TOKEN}, apiKey: ${TOKEN} }`, "needs a token or an apiKey"],
    ["a short token", "{ token: short }", "must have at least 16 characters"],
  ])("when there is %s, then that is a problem", (_, caller, message) => {
    expect(problemsOf(`${MINIMAL}a2a: { callers: { crm: ${caller} } }`)).toEqual([
      expect.objectContaining({ message: expect.stringContaining(message) }),
    ]);
  });

  it("when a network for webhooks is not valid, then that is a problem", () => {
    expect(problemsOf(`${MINIMAL}a2a: { pushAllow: ["10.0.0.0/8", "here"] }`)).toEqual([
      expect.objectContaining({
        path: "a2a.pushAllow[1]",
        message: expect.stringContaining("must be an address, or a network"),
      }),
    ]);
  });

  it("when every reference resolves, then there is no problem", () => {
    const text = `
agents: [{ name: a, model: demo, tenant: acme, home: { person: Ada } }, { name: b, model: demo, tenant: acme }]
tenants: { acme: {} }
admin: { tokens: [{ token: ${TOKEN}, role: org_admin, tenant: acme }] }
people: [{ name: Ada, accounts: { web: x } }, { name: Bob, accounts: { web: y } }]
channels: { web: { adapter: web, agent: b } }`;
    expect(problemsOf(text)).toEqual([]);
  });
});

describe("given values that must be unique", () => {
  it.each([
    ["agent names", "agents: [{ name: a, model: demo }, { name: a, model: demo }]", "agents[1].name", "agents[0].name"],
    [
      "accounts",
      `${MINIMAL}${web}people: [{ name: A, accounts: { web: x } }, { name: B, accounts: { web: x } }]`,
      "people[1].accounts.web",
      "people[0].accounts.web",
    ],
    [
      "people's names",
      `${MINIMAL}people: [{ name: A, accounts: {} }, { name: A, accounts: {} }]`,
      "people[1].name",
      "people[0].name",
    ],
    [
      "callers' tokens",
      `${MINIMAL}a2a: { callers: { a: { token: ${TOKEN} }, b: { apiKey: ${TOKEN} } } }`,
      "a2a.callers.b.apiKey",
      "a2a.callers.a.token",
    ],
    [
      "skills",
      `agents: [{ name: a, model: demo, skills: [${SKILL}, ${SKILL}] }]`,
      "agents[0].skills[1].id",
      "agents[0].skills[0].id",
    ],
    [
      "admin tokens",
      `${MINIMAL}admin: { tokens: [{ token: ${TOKEN}, role: platform_admin }, { token: ${TOKEN}, role: platform_admin }] }`,
      "admin.tokens[1].token",
      "admin.tokens[0].token",
    ],
  ])("when two %s are the same, then the second is a problem that names the first", (_, text, path, first) => {
    expect(problemsOf(text)).toEqual([
      expect.objectContaining({ path, message: `is the same as ${first}: change or remove one of them` }),
    ]);
  });

  it("when the same account id is on two channels, then they are two accounts", () => {
    const text = `${MINIMAL}channels: { a: { adapter: web }, b: { adapter: web } }
people: [{ name: A, accounts: { a: x } }, { name: B, accounts: { b: x } }]`;
    expect(problemsOf(text)).toEqual([]);
  });
});
