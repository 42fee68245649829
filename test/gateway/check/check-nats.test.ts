import { describe, expect, it } from "vitest";
import {
  type NatsInspection,
  type Replica,
  replicasOf,
  type StreamState,
} from "../../../core/backbone/nats/inspect-nats.ts";
import { natsFindings } from "../../../gateway/check/check-nats.ts";

const node = (name: string, version = "2.11.4") => ({ name, address: `${name}:4222`, version });
const stream = (name: string, states: Partial<Record<"n1" | "n2" | "n3", Replica["state"]>>): StreamState => ({
  name,
  kind: "stream",
  configured: Object.keys(states).length,
  replicas: Object.entries(states).map(([of, state]) => ({ node: of, state })),
});
const CURRENT = { n1: "leader", n2: "current", n3: "current" } as const;
const healthy: NatsInspection = {
  answering: [node("n1"), node("n2"), node("n3")],
  silent: [],
  cluster: "local",
  streams: [stream("m_a", CURRENT), { ...stream("m_b", CURRENT), kind: "bucket" }],
};
const findingLines = (changes: Partial<NatsInspection>, replicas = 3) =>
  natsFindings({ ...healthy, ...changes }, replicas).map(({ verdict, subject, text, details = [] }) =>
    [`${verdict} ${subject}: ${text}`, ...details].join(" | "),
  );

describe("given a cluster of three", () => {
  it("when it is healthy, then the findings list nodes, quorum and replicas, and explain the sync setting", () => {
    expect(findingLines({})).toEqual([
      'ok backbone: NATS 2.11.4 with JetStream, cluster "local", nodes up: 3 of 3 | n1  n1:4222  2.11.4 | n2  n2:4222  2.11.4 | n3  n3:4222  2.11.4',
      "ok quorum: JetStream, each stream and each bucket have a leader; 2 of 3 nodes must be up",
      "ok replicas: 1 stream and 1 bucket with 3 replicas each, all current | streams: m_a | buckets: m_b",
      expect.stringMatching(/^note sync setting: NATS does not report it.*sync_interval: always.*\/varz$/),
    ]);
  });

  it("when streams differ, then those with the same replicas share a finding", () => {
    const streams = [
      stream("m_a", CURRENT),
      stream("m_b", { ...CURRENT, n3: "offline" }),
      stream("m_c", { ...CURRENT, n2: "behind", n3: "offline" }),
      stream("m_d", { ...CURRENT, n3: "offline" }),
      stream("m_e", { n1: "leader" }),
    ];
    expect(findingLines({ streams }).slice(2, -1)).toEqual([
      "ok replicas: 1 stream with 3 replicas each, all current | streams: m_a",
      "warning replicas: 2 streams with 3 replicas, offline on n3 | streams: m_b, m_d",
      "warning replicas: 1 stream with 3 replicas, offline on n3, behind on n2 | streams: m_c",
      expect.stringMatching(
        /^warning replicas: 1 stream with 1 replica, but backbone.nats.replicas is 3: "nats stream edit/,
      ),
    ]);
  });

  it("when one configured address does not answer, then it is matched to the node that only streams name", () => {
    const silent = [{ address: "n3:4222", reason: "TIMEOUT" }];
    expect(findingLines({ answering: [node("n1"), node("n2")], silent })[0]).toBe(
      'warning backbone: NATS 2.11.4 with JetStream, cluster "local", nodes up: 2 of 3; start the others, or correct ' +
        "backbone.nats.servers | n1  n1:4222  2.11.4 | n2  n2:4222  2.11.4 | n3  n3:4222  no answer (TIMEOUT)",
    );
  });

  it("when a node cannot be reached from here but is current, then it counts as up", () => {
    expect(findingLines({ answering: [node("n1")] })[0]).toMatch(
      /^ok .*nodes up: 3 of 3 \| n1 .*\| n2 +runs, but was not reached from here \| n3 +runs/,
    );
  });

  it("when it has no leader, then the problem says how many nodes must be up (F35)", () => {
    const silent = ["n2:4222", "n3:4222"].map((address) => ({ address, reason: "CONNECTION_REFUSED" }));
    const found = findingLines({ answering: [node("n1")], silent, streams: [], noLeader: "temporarily unavailable" });
    expect(found[1]).toBe(
      "problem quorum: none, nothing is stored (temporarily unavailable): 2 of 3 nodes must be up; start the others",
    );
    expect(found).toHaveLength(3);
  });

  it("when its leader has just lost the other nodes and still answers, then the problem is the same (F35)", () => {
    const silent = ["n2:4222", "n3:4222"].map((address) => ({ address, reason: "CONNECTION_REFUSED" }));
    const streams = [stream("m_a", CURRENT), { ...stream("m_b", CURRENT), problem: "no answer (TIMEOUT)" }];
    const none = /^problem quorum: none, nothing is stored \(.*TIMEOUT.*\): 2 of 3 nodes must be up; start the others/;
    expect(findingLines({ answering: [node("n1")], silent, streams })[1]).toMatch(none);
    expect(findingLines({ answering: [node("n1")], silent, notStored: "TIMEOUT" })[1]).toMatch(none);
  });

  it("when one stream has no leader, or a write is not stored, then that is a problem (F35)", () => {
    const streams = [stream("m_a", CURRENT), { ...stream("m_b", CURRENT), problem: "no leader" }];
    expect(findingLines({ streams })[1]).toMatch(
      /^problem quorum: 1 of 2 streams .* store nothing.*\| stream m_b: no leader$/,
    );
    expect(findingLines({ notStored: "TIMEOUT" })[1]).toMatch(/^problem quorum: a write was not stored \(TIMEOUT\)/);
  });

  it("when its servers may store conflicting writes, then a warning advises an upgrade, unless nothing is replicated", () => {
    const answering = [node("n1", "2.9.20"), node("n2", "2.9.21"), node("n3")];
    const warning = /^warning conflicting writes: .* 2.9.20 .*upgrade to 2.9.21 or later/;
    expect(findingLines({ answering }).filter((line) => warning.test(line))).toHaveLength(1);
    expect(findingLines({ answering }, 1).filter((line) => line.includes("conflicting"))).toEqual([]);
    expect(findingLines({}).filter((line) => line.includes("conflicting"))).toEqual([]);
  });

  it("when there are fewer nodes than replicas, then a warning says what to set", () => {
    expect(findingLines({}, 5)[0]).toMatch(/^warning .*replicas is 5; set nats.replicas to 1 or run at least 5 nodes/);
  });
});

describe("given a single server without a name", () => {
  it("when it is checked, then no quorum is needed and its key is not shown", () => {
    const answering = [{ ...node(`N${"A".repeat(55)}`, "2.9.10"), address: "127.0.0.1:4222" }];
    expect(findingLines({ answering, cluster: undefined, streams: [] }, 1)).toEqual([
      "ok backbone: NATS 2.9.10 with JetStream, a single server | server  127.0.0.1:4222  2.9.10",
      "ok quorum: not needed by a single server",
      "ok replicas: nothing is stored yet",
      expect.stringMatching(/^note sync setting: NATS 2.9.10 has none.*durability process-crash/),
    ]);
  });
});

describe("given a server's report on the replicas of a stream", () => {
  const peer = { name: "n2", current: true, offline: false, active: 500_000_000, lag: 0 };
  const stateOf = (changes: object) =>
    replicasOf({
      config: { num_replicas: 3 },
      cluster: { name: "c", leader: "n1", replicas: [{ ...peer, ...changes }] },
    } as Parameters<typeof replicasOf>[0]).replicas[1]?.state;

  it.each([
    ["current", {}],
    ["behind", { lag: 3 }],
    ["behind", { current: false }],
    ["offline", { offline: true }],
    ["offline", { active: 5_100_000_000 }],
  ])("then a replica is %s with %j", (state, changes) => {
    expect(stateOf(changes)).toBe(state);
  });
});
