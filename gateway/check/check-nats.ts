import { type BackboneConfig, inspectNats, type NatsInspection } from "../../core/backbone/index.ts";
import { describeConflicts, describeStreams, describeSync } from "./describe-nats.ts";
import type { Finding } from "./finding.ts";

/** Runs before the backbone is opened, because opening it waits for a cluster without a quorum. */
export const checkNats = async (config: Exclude<BackboneConfig, "embedded">): Promise<Finding[]> => {
  return natsFindings(await inspectNats(config), config.nats.replicas);
};

export const natsFindings = (found: NatsInspection, replicas: number): Finding[] => {
  const nodes = natsNodes(found);
  const versions = found.answering.map(({ version }) => version);
  return [
    describeNodes(found, nodes, replicas),
    describeQuorum(found, nodes),
    ...(found.noLeader === undefined ? describeStreams(found.streams, found.cluster === undefined ? 1 : replicas) : []),
    ...(replicas > 1 ? describeConflicts(versions) : []),
    describeSync(versions),
  ];
};

const describeNodes = (found: NatsInspection, nodes: readonly NatsNode[], replicas: number): Finding => {
  const versions = [...new Set(found.answering.map(({ version }) => version))].join(" and ");
  const finding = (verdict: Finding["verdict"], text: string): Finding => ({
    verdict,
    subject: "backbone",
    text: `NATS ${versions} with JetStream, ${text}`,
    details: nodeLines(nodes),
  });
  if (found.cluster === undefined) return finding("ok", "a single server");
  const text = `cluster "${found.cluster}", nodes up: ${countUp(nodes)} of ${nodes.length}`;
  if (countUp(nodes) < nodes.length) {
    const advice = found.silent.length > 0 ? ", or correct backbone.nats.servers" : "";
    return finding("warning", `${text}; start the others${advice}`);
  }
  if (nodes.length >= replicas) return finding("ok", text);
  const advice = `set nats.replicas to 1 or run at least ${replicas} nodes`;
  return finding("warning", `${text}, but backbone.nats.replicas is ${replicas}; ${advice}`);
};

const describeQuorum = (found: NatsInspection, nodes: readonly NatsNode[]): Finding => {
  const finding = (verdict: Finding["verdict"], text: string, details: string[] = []): Finding => ({
    verdict,
    subject: "quorum",
    text,
    details,
  });
  const { noLeader, notStored, streams, cluster } = found;
  const needed = Math.floor(nodes.length / 2) + 1;
  const silent = streams.filter(({ problem }) => problem !== undefined);
  const isMinority = countUp(nodes) < needed;
  // A leader that has lost the other nodes still answers for some seconds.
  const reason = noLeader ?? (isMinority ? (silent[0]?.problem ?? notStored) : undefined);
  if (reason !== undefined) {
    const advice = isMinority ? `${needed} of ${nodes.length} nodes must be up; start the others` : CHECK_AGAIN;
    return finding("problem", `none, nothing is stored (${reason}): ${advice}`);
  }
  if (silent.length > 0) {
    const text = `${silent.length} of ${streams.length} streams and buckets store nothing: start the nodes that keep them; ${CHECK_AGAIN}`;
    return finding(
      "problem",
      text,
      silent.map(({ kind, name, problem }) => `${kind} ${name}: ${problem}`),
    );
  }
  if (notStored !== undefined) return finding("problem", `a write was not stored (${notStored}): ${CHECK_AGAIN}`);
  if (cluster === undefined) return finding("ok", "not needed by a single server");
  const leaders =
    streams.length === 0 ? "JetStream has a leader" : "JetStream, each stream and each bucket have a leader";
  return finding("ok", `${leaders}; ${needed} of ${nodes.length} nodes must be up`);
};

const countUp = (nodes: readonly NatsNode[]): number => nodes.filter(({ runs }) => runs).length;

const CHECK_AGAIN = "nodes elect leaders for some seconds after the loss of one, so check again, then read their logs";

interface NatsNode {
  /** "?" if only the address is known. */
  readonly name: string;
  readonly address: string;
  readonly state: string;
  readonly runs: boolean;
}

/** The nodes of the cluster: those that answer, those that streams name, and configured addresses without an answer. */
const natsNodes = ({ answering, silent, streams }: NatsInspection): NatsNode[] => {
  const known = new Set(answering.map(({ name }) => name));
  const named = new Map<string, boolean>();
  for (const { node, state } of streams.flatMap(({ replicas }) => replicas)) {
    if (!known.has(node)) named.set(node, (named.get(node) ?? true) && (state === "leader" || state === "current"));
  }
  return [
    ...answering.map(({ name, address, version }) => ({ name, address, state: version, runs: true })),
    ...(silent.length >= named.size
      ? silent.map(({ address, reason }) => ({
          // The client cannot find out which of the names has this address.
          name: [...named.keys()].join(" or ") || "?",
          address,
          state: `no answer (${reason})`,
          runs: false,
        }))
      : [...named].map(([name, isCurrent]) => ({
          name,
          address: "",
          state: isCurrent ? "runs, but was not reached from here" : "offline",
          runs: isCurrent,
        }))),
  ];
};

/** One aligned line per node. */
const nodeLines = (given: readonly NatsNode[]): string[] => {
  // A server without a configured name uses its public key of 56 characters.
  const nodes = given.map((node) => ({ ...node, name: node.name.replace(/^N[A-Z0-9]{55}$/, "server") }));
  const width = (cell: (node: NatsNode) => string) => Math.max(...nodes.map((node) => cell(node).length));
  const widths = { name: width(({ name }) => name), address: width(({ address }) => address) };
  return nodes.map(
    ({ name, address, state }) => `${name.padEnd(widths.name)}  ${address.padEnd(widths.address)}  ${state}`,
  );
};
