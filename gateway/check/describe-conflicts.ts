import { mayStoreConflicts } from "../../core/backbone/index.ts";
import type { Finding } from "./finding.ts";

/** Nothing for servers whose clusters refuse the second of two conflicting writes. */
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
