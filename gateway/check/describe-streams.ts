import type { StreamState } from "../../core/backbone/index.ts";
import type { Finding } from "./finding.ts";

/** One finding for all streams and buckets whose replicas are alike. Those without a leader are told of elsewhere. */
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

const describe = ({ wanted, replicas: kept }: StreamState, replicas: number): Finding => {
  const subject = "replicas";
  const on = (state: string) =>
    kept
      .filter((replica) => replica.state === state)
      .map(({ node }) => node)
      .sort();
  const [behind, offline] = [on("behind"), on("offline")];
  const copies = wanted === 1 ? "1 replica" : `${wanted} replicas`;
  if (behind.length + offline.length > 0) {
    const states = [
      ...(offline.length > 0 ? [`offline on ${offline.join(", ")}`] : []),
      ...(behind.length > 0 ? [`behind on ${behind.join(", ")}`] : []),
    ];
    return { verdict: "warning", subject, text: `${copies}, ${states.join(", ")}` };
  }
  if (wanted < replicas) {
    const text = `${copies}, but backbone.nats.replicas is ${replicas}: "nats stream edit NAME --replicas ${replicas}"`;
    return { verdict: "warning", subject, text: `${text} changes what exists (of a bucket, NAME is KV_ and its name)` };
  }
  return { verdict: "ok", subject, text: wanted === 1 ? copies : `${copies} each, all current` };
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

/** Comma-separated, in lines of at most this many characters if no item is longer. */
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
