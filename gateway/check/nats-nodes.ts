import type { NatsInspection } from "../../core/backbone/index.ts";

export interface NatsNode {
  /** "?" if only the address is known. */
  readonly name: string;
  readonly address: string;
  readonly state: string;
  readonly runs: boolean;
}

/** The nodes of the cluster: those that answer, those that streams name, and configured addresses without an answer. */
export const natsNodes = ({ answering, silent, streams }: NatsInspection): NatsNode[] => {
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
export const nodeLines = (given: readonly NatsNode[]): string[] => {
  // A server without a configured name uses its public key of 56 characters.
  const nodes = given.map((node) => ({ ...node, name: node.name.replace(/^N[A-Z0-9]{55}$/, "server") }));
  const width = (cell: (node: NatsNode) => string) => Math.max(...nodes.map((node) => cell(node).length));
  const widths = { name: width(({ name }) => name), address: width(({ address }) => address) };
  return nodes.map(
    ({ name, address, state }) => `${name.padEnd(widths.name)}  ${address.padEnd(widths.address)}  ${state}`,
  );
};
