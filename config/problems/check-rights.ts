import { z } from "zod";
import { CLASSES } from "../../core/rights/config.ts";
import { mustExist } from "./must-exist.ts";
import type { KeyPath, Problem } from "./problem.ts";

const names = z.record(z.string(), z.unknown()).catch({});
const text = z.string().optional().catch(undefined);

const Outline = z.object({
  groups: z.record(z.string(), z.array(z.unknown()).catch([])).catch({}),
  people: z.array(z.object({ name: text }).catch({})).catch([]),
  owner: z.object({ name: text }).optional().catch(undefined),
  agents: z.array(z.object({ name: text, rights: names }).catch({ rights: {} })).catch([]),
  a2a: z.object({ callers: names }).catch({ callers: {} }),
  channels: names,
});
type Outline = z.infer<typeof Outline>;

/** The names in `rights` and `groups` must exist, because a misspelled one would silently grant nothing. */
export const checkRights = (root: unknown): Problem[] => {
  const outline = Outline.safeParse(root);
  return outline.success ? [...danglingMembers(outline.data), ...danglingSpeakers(outline.data)] : [];
};

function* danglingMembers({ groups, people, owner, channels }: Outline): Generator<Problem> {
  const persons = [...people.flatMap(({ name }) => name ?? []), ...(owner ? [owner.name ?? "owner"] : [])];
  for (const [group, members] of Object.entries(groups)) {
    for (const [nth, member] of members.entries()) {
      if (typeof member !== "string" || persons.includes(member)) continue;
      const path: KeyPath = ["groups", group, nth];
      const channel = /^([\w-]+):./.exec(member)?.[1];
      if (channel === undefined) yield* mustExist(path, "person", member, persons);
      else yield* mustExist(path, "channel", channel, Object.keys(channels));
    }
  }
}

function* danglingSpeakers({ agents, groups, a2a, channels }: Outline): Generator<Problem> {
  const callers = [...agents.flatMap(({ name }) => name ?? []), ...Object.keys(a2a.callers)];
  for (const [index, { rights }] of agents.entries()) {
    for (const speaker of Object.keys(rights)) {
      if ((CLASSES as readonly string[]).includes(speaker)) continue;
      const path: KeyPath = ["agents", index, "rights", speaker];
      const [, kind = "", name = ""] = /^([\w-]+):(.+)$/.exec(speaker) ?? [];
      if (kind === "peer") yield* mustExist(path, "caller", name, callers);
      else if (kind === "group") yield* mustExist(path, "group", name, Object.keys(groups));
      else if (kind !== "") yield* mustExist(path, "channel", kind, Object.keys(channels));
    }
  }
}
