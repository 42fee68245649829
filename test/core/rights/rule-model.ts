import type { Cause } from "../../../core/contract/messages/work-context.ts";

/** A configuration of rights as an operator writes it. */
export interface Granted {
  readonly rights: Readonly<Record<string, readonly string[]>>;
  readonly groups: Readonly<Record<string, readonly string[]>>;
}

const DEFAULTS: Readonly<Record<string, string>> = {
  anonymous: "delegate remind",
  member: "delegate remind schedule remember peers",
  operator: "delegate remind schedule remember peers approve",
  peer: "delegate peers",
};

/**
 * The rule of R1, written from the requirement and without the code of the product: each cause needs the right by its
 * class, by a group, or by its own name.
 */
export const mayDo = ({ rights, groups }: Granted, causes: readonly Cause[], need: string): boolean => {
  for (const { speaker, channel, id } of causes) {
    const names: string[] = [];
    if (speaker === "peer") names.push(`peer:${id}` in rights ? `peer:${id}` : "peer");
    else {
      names.push(speaker, `${channel}:${id}`);
      for (const group in groups) {
        if (groups[group]?.includes(`${channel}:${id}`)) names.push(group === "operator" ? group : `group:${group}`);
      }
    }
    let allowed = false;
    for (const name of names) {
      const defaults = (DEFAULTS[name.startsWith("peer:") ? "peer" : name] ?? "").split(" ");
      for (const grant of rights[name] ?? defaults) {
        if (grant === need || (grant === "default" && defaults.includes(need))) allowed = true;
        if (grant === "schedule" && need === "remind") allowed = true;
        if (grant === "tool:*" && need.startsWith("tool:")) allowed = true;
        if (grant === "tool:probe_*" && need.startsWith("tool:probe_")) allowed = true;
      }
    }
    if (!allowed) return false;
  }
  return causes.length > 0;
};
