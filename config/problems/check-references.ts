import { z } from "zod";
import { mustExist } from "./must-exist.ts";
import { type KeyPath, type Problem, spellPath } from "./problem.ts";

const text = z.string().optional().catch(undefined);
const entriesOf = <T extends z.ZodType>(schema: T) => z.array(schema).catch([]);

const Destination = z.object({ person: text, channel: text });
const Scheduled = z.object({ name: text, deliverTo: Destination.optional().catch(undefined) }).catch({});

const Caller = z
  .object({
    tenant: text,
    agents: entriesOf(text),
    skills: entriesOf(text),
    token: text,
    apiKey: text,
    deliverTo: Destination.optional().catch(undefined),
  })
  .catch({ agents: [], skills: [] });
const Peer = z.object({ tenant: text }).catch({});

/** Names and references only. Everything else passes, so that these checks also run on files with other problems. */
const Outline = z.object({
  admin: z.object({ tokens: entriesOf(z.object({ token: text, tenant: text }).catch({})) }).catch({ tokens: [] }),
  tenants: z.record(z.string(), z.unknown()).catch({ default: {} }),
  owner: z
    .object({ name: text, accounts: z.record(z.string(), z.unknown()).catch({}) })
    .optional()
    .catch(undefined),
  people: entriesOf(
    z.object({ name: text, accounts: z.record(z.string(), z.unknown()).catch({}) }).catch({ accounts: {} }),
  ),
  agents: entriesOf(
    z
      .object({
        name: text,
        tenant: text,
        home: Destination.catch({}),
        schedules: entriesOf(Scheduled),
        skills: entriesOf(
          z
            .object({
              id: text,
              tellPeople: z.boolean().optional().catch(undefined),
              deliverTo: Destination.optional().catch(undefined),
            })
            .catch({}),
        ),
        peers: entriesOf(text),
      })
      .catch({ home: {}, schedules: [], skills: [], peers: [] }),
  ),
  a2a: z
    .object({ callers: z.record(z.string(), Caller).catch({}), peers: z.record(z.string(), Peer).catch({}) })
    .catch({ callers: {}, peers: {} }),
  channels: z.record(z.string(), z.object({ agent: text }).catch({})).catch({}),
});
type Outline = z.infer<typeof Outline>;

/** Checks across sections: references must resolve, and names, credentials and accounts must be unique. */
export const checkReferences = (root: unknown): Problem[] => {
  const outline = Outline.safeParse(root);
  return outline.success
    ? [
        ...dangling(outline.data),
        ...danglingPeers(outline.data),
        ...danglingNotices(outline.data),
        ...missingAgents(outline.data),
        ...repeated(outline.data),
      ]
    : [];
};

function* dangling({ admin, tenants, owner, people, agents, channels }: Outline): Generator<Problem> {
  const tenantNames = Object.keys(tenants);
  const channelNames = Object.keys(channels);
  const agentNames = agents.flatMap(({ name }) => name ?? []);
  const personNames = [...people.flatMap(({ name }) => name ?? []), ...(owner ? [owner.name ?? "owner"] : [])];

  for (const [index, { tenant }] of admin.tokens.entries()) {
    yield* mustExist(["admin", "tokens", index, "tenant"], "tenant", tenant, tenantNames);
  }
  for (const [index, { tenant = "default", home, schedules }] of agents.entries()) {
    yield* mustExist(["agents", index, "tenant"], "tenant", tenant, tenantNames);
    yield* mustExist(["agents", index, "home", "channel"], "channel", home.channel, channelNames);
    yield* mustExist(["agents", index, "home", "person"], "person", home.person, personNames);
    for (const [nth, { deliverTo }] of schedules.entries()) {
      const path = ["agents", index, "schedules", nth, "deliverTo"];
      yield* mustExist([...path, "channel"], "channel", deliverTo?.channel, channelNames);
      yield* mustExist([...path, "person"], "person", deliverTo?.person, personNames);
      if (deliverTo === undefined && home.channel === undefined && home.person === undefined) {
        yield { path, message: "is missing: set it, or the agent's home, so that results have a destination" };
      }
    }
  }
  for (const [index, { accounts }] of people.entries()) {
    for (const channel of Object.keys(accounts)) {
      yield* mustExist(["people", index, "accounts", channel], "channel", channel, channelNames);
    }
  }
  for (const channel of Object.keys(owner?.accounts ?? {})) {
    yield* mustExist(["owner", "accounts", channel], "channel", channel, channelNames);
  }
  for (const [channel, { agent }] of Object.entries(channels)) {
    yield* mustExist(["channels", channel, "agent"], "agent", agent, agentNames);
  }
}

/** Places for notices about the work for callers: they must exist, and a skill that tells people needs one. */
function* danglingNotices({ people, agents, channels, a2a }: Outline): Generator<Problem> {
  const channelNames = Object.keys(channels);
  const personNames = people.flatMap(({ name }) => name ?? []);
  const callers = Object.entries(a2a.callers);
  for (const [name, { deliverTo }] of callers) {
    const path = ["a2a", "callers", name, "deliverTo"];
    yield* mustExist([...path, "channel"], "channel", deliverTo?.channel, channelNames);
    yield* mustExist([...path, "person"], "person", deliverTo?.person, personNames);
  }
  for (const [index, { home, skills }] of agents.entries()) {
    const hasHome = home.channel !== undefined || home.person !== undefined;
    const callersHavePlaces = callers.length > 0 && callers.every(([, { deliverTo }]) => deliverTo !== undefined);
    for (const [nth, { tellPeople, deliverTo }] of skills.entries()) {
      const path = ["agents", index, "skills", nth];
      yield* mustExist([...path, "deliverTo", "channel"], "channel", deliverTo?.channel, channelNames);
      yield* mustExist([...path, "deliverTo", "person"], "person", deliverTo?.person, personNames);
      if (tellPeople !== true || hasHome || deliverTo !== undefined || callersHavePlaces) continue;
      const message = "has no place to tell people: set deliverTo of the skill, of all callers, or the agent's home";
      yield { path: [...path, "tellPeople"], message };
    }
  }
}

function* danglingPeers({ tenants, agents, a2a }: Outline): Generator<Problem> {
  const agentNames = agents.flatMap(({ name }) => name ?? []);
  const skillIds = agents.flatMap(({ skills }) => skills.flatMap(({ id }) => id ?? []));
  const peerNames = [...agentNames, ...Object.keys(a2a.peers)];
  for (const [index, { name, tenant = "default", peers }] of agents.entries()) {
    for (const [nth, peer] of peers.entries()) {
      const path = ["agents", index, "peers", nth];
      yield* mustExist(path, "peer", peer, peerNames);
      if (peer !== undefined && peer === name) yield { path, message: "names the agent itself: remove it" };
      const other = agents.find((each) => each.name === peer);
      const peerTenant = (other ?? a2a.peers[peer ?? ""])?.tenant ?? "default";
      if (peer !== name && peerNames.includes(peer ?? "") && peerTenant !== tenant) {
        yield { path, message: `belongs to the tenant "${peerTenant}": name a peer in the agent's own tenant` };
      } else if (peer !== name && name !== undefined && other !== undefined && !other.peers.includes(name)) {
        yield {
          path,
          message: `does not list "${name}" in its own peers: add it there, because both agents must list each other`,
        };
      }
    }
  }
  for (const [caller, { tenant = "default", agents: callable, skills }] of Object.entries(a2a.callers)) {
    yield* mustExist(["a2a", "callers", caller, "tenant"], "tenant", tenant, Object.keys(tenants));
    for (const [nth, agent] of callable.entries()) {
      const path = ["a2a", "callers", caller, "agents", nth];
      yield* mustExist(path, "agent", agent, agentNames);
      const theirs = agents.find(({ name }) => name !== undefined && name === agent)?.tenant ?? "default";
      if (agentNames.includes(agent ?? "") && theirs !== tenant) {
        yield {
          path,
          message: `belongs to the tenant "${theirs}": name an agent in the caller's tenant, "${tenant}", or set its tenant`,
        };
      }
    }
    for (const [nth, skill] of skills.entries()) {
      yield* mustExist(["a2a", "callers", caller, "skills", nth], "skill", skill, skillIds);
    }
  }
  for (const [peer, { tenant }] of Object.entries(a2a.peers)) {
    const path = ["a2a", "peers", peer];
    yield* mustExist([...path, "tenant"], "tenant", tenant, Object.keys(tenants));
    if (agentNames.includes(peer)) yield { path, message: "has the same name as an agent: rename it" };
  }
}

function* missingAgents({ agents, channels }: Outline): Generator<Problem> {
  if (agents.length < 2) return;
  for (const [channel, { agent }] of Object.entries(channels)) {
    if (agent === undefined) {
      yield {
        path: ["channels", channel, "agent"],
        message: "is missing: with more than one agent, each channel must name its agent",
      };
    }
  }
}

function* repeated({ admin, owner, people, agents, a2a }: Outline): Generator<Problem> {
  yield* mustDiffer(agents.map(({ name }, index) => ({ path: ["agents", index, "name"], value: name })));
  for (const [index, { schedules }] of agents.entries()) {
    const path = ["agents", index, "schedules"];
    yield* mustDiffer(schedules.map(({ name }, nth) => ({ path: [...path, nth, "name"], value: name })));
  }
  for (const [index, { skills }] of agents.entries()) {
    yield* mustDiffer(skills.map(({ id }, nth) => ({ path: ["agents", index, "skills", nth, "id"], value: id })));
  }
  yield* mustDiffer(
    Object.entries(a2a.callers).map(([caller, { token, apiKey }]) => ({
      path: ["a2a", "callers", caller, token === undefined ? "apiKey" : "token"],
      value: token ?? apiKey,
    })),
  );
  const declared = [
    ...(owner ? [{ path: ["owner"], name: owner.name ?? "owner", accounts: owner.accounts }] : []),
    ...people.map((person, index) => ({ path: ["people", index], ...person })),
  ];
  yield* mustDiffer(declared.map(({ path, name }) => ({ path: [...path, "name"], value: name })));
  yield* mustDiffer(
    admin.tokens.map(({ token }, index) => ({ path: ["admin", "tokens", index, "token"], value: token })),
  );
  yield* mustDiffer(
    declared.flatMap(({ path, accounts }) =>
      Object.entries(accounts).map(([channel, account]) => ({
        path: [...path, "accounts", channel],
        value: JSON.stringify([channel, account]),
      })),
    ),
  );
}

function* mustDiffer(entries: readonly { path: KeyPath; value: string | undefined }[]): Generator<Problem> {
  const first = new Map<string, KeyPath>();
  for (const { path, value } of entries) {
    if (value === undefined) continue;
    const earlier = first.get(value);
    if (earlier === undefined) first.set(value, path);
    else yield { path, message: `is the same as ${spellPath(earlier)}: change or remove one of them` };
  }
}
