import { mayStoreConflicts, type StreamState } from "../../core/backbone/index.ts";
import type { Finding } from "./finding.ts";

/** One finding for all streams and buckets with the same replicas. The quorum finding covers those without a leader. */
export const describeStreams = (streams: readonly StreamState[], replicas: number): Finding[] => {
  if (streams.length === 0) return [{ verdict: "ok", subject: "replicas", text: "nothing is stored yet" }];
  const groups = new Map<string, { finding: Omit<Finding, "details">; members: StreamState[] }>();
  for (const stream of streams) {
    if (stream.problem !== undefined) continue;
    const finding = describe(stream, replicas);
    const group = groups.get(finding.text) ?? { finding, members: [] };
    group.members.push(stream);
    groups.set(finding.text, group);
  }
  return [...groups.values()].map(({ finding, members }) => ({
    ...finding,
    text: `${counted(members)} with ${finding.text}`,
    details: [...named("streams", "stream", members), ...named("buckets", "bucket", members)],
  }));
};

const describe = ({ configured, replicas: placed }: StreamState, replicas: number): Finding => {
  const subject = "replicas";
  const on = (state: string) =>
    placed
      .filter((replica) => replica.state === state)
      .map(({ node }) => node)
      .sort();
  const [behind, offline] = [on("behind"), on("offline")];
  const copies = configured === 1 ? "1 replica" : `${configured} replicas`;
  if (behind.length + offline.length > 0) {
    const states = [
      ...(offline.length > 0 ? [`offline on ${offline.join(", ")}`] : []),
      ...(behind.length > 0 ? [`behind on ${behind.join(", ")}`] : []),
    ];
    return { verdict: "warning", subject, text: `${copies}, ${states.join(", ")}` };
  }
  if (configured < replicas) {
    const text = `${copies}, but backbone.nats.replicas is ${replicas}: "nats stream edit NAME --replicas ${replicas}"`;
    return { verdict: "warning", subject, text: `${text} changes what exists (of a bucket, NAME is KV_ and its name)` };
  }
  return { verdict: "ok", subject, text: configured === 1 ? copies : `${copies} each, all current` };
};

const counted = (members: readonly StreamState[]): string => {
  const of = (kind: StreamState["kind"]) => {
    const count = members.filter((member) => member.kind === kind).length;
    return count === 0 ? [] : [count === 1 ? `1 ${kind}` : `${count} ${kind}s`];
  };
  return [...of("stream"), ...of("bucket")].join(" and ");
};

const named = (label: string, kind: StreamState["kind"], members: readonly StreamState[]): string[] => {
  const names = members.filter((member) => member.kind === kind).map(({ name }) => name);
  if (names.length === 0) return [];
  const [first = "", ...rest] = wrapped(names, MAX_LINE - label.length - 2);
  const indent = " ".repeat(label.length + 2);
  return [`${label}: ${first}`, ...rest.map((line) => indent + line)];
};

/** Comma-separated, in lines of at most `length` characters if no item is longer. */
const wrapped = (items: readonly string[], length = MAX_LINE): string[] => {
  const lines: string[] = [];
  for (const [index, item] of items.entries()) {
    const piece = index < items.length - 1 ? `${item},` : item;
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + piece.length > length) lines.push(piece);
    else lines[lines.length - 1] = `${last} ${piece}`;
  }
  return lines;
};

const MAX_LINE = 100;

/** Empty if all servers reject the second of two conflicting writes in a cluster. */
export const describeConflicts = (versions: readonly string[]): Finding[] => {
  const old = versions.find(mayStoreConflicts);
  if (old === undefined) return [];
  return [
    {
      verdict: "warning",
      subject: "conflicting writes",
      text: `a cluster of NATS ${old} may store both of two conflicting writes; upgrade to 2.9.21 or later`,
      details: ["see https://github.com/nats-io/nats-server/issues/4320"],
    },
  ];
};

/** The setting decides whether a power cut loses confirmed messages. Servers do not report it to clients. */
export const describeSync = (versions: readonly string[]): Finding => {
  const subject = "sync setting";
  const old = versions.find((version) => !canSyncAlways(version));
  if (old !== undefined) {
    return {
      verdict: "note",
      subject,
      text: `NATS ${old} has none and writes to disk in the background: durability process-crash`,
      details: [
        "a power cut may lose the last two minutes;",
        'server 2.10 or later with "sync_interval: always" loses nothing (durability power-loss)',
      ],
    };
  }
  return {
    verdict: "note",
    subject,
    text: "NATS does not report it to clients: durability process-crash, or power-loss if it is always; on each server",
    details: [
      'look for "sync_interval: always" in the jetstream block of the configuration file,',
      'or, with a monitoring port, for "sync_always": true in http://SERVER:8222/varz',
    ],
  };
};

const canSyncAlways = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 2 || (major === 2 && minor >= 10);
};
