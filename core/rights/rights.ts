import type { Cause } from "../contract/messages/work-context.ts";
import { ABILITIES, type Ability, type Caused, type Need, type Permit } from "../contract/rights.ts";
import { english, type Texts } from "../contract/texts/texts.ts";
import { ToldError } from "../contract/texts/told-error.ts";
import type { Grant, RightsConfig } from "./config.ts";

/** The rights of each class for which the configuration has no entry. A workspace and tools always need an entry. */
export const DEFAULT_RIGHTS: Readonly<Record<"anonymous" | "member" | "operator" | "peer", readonly Ability[]>> = {
  anonymous: ["delegate", "remind"],
  member: ["delegate", "remind", "schedule", "remember", "peers", "confirm"],
  operator: ["delegate", "remind", "schedule", "remember", "peers", "confirm", "approve"],
  peer: ["delegate", "peers"],
};

/** The accounts of each group, as `<channel>:<account>`. Accounts in the group "operator" are operators. */
export type Groups = Readonly<Record<string, readonly string[]>>;

type Granted = Exclude<Grant, "default">;

export const OPERATOR = "operator";

/** Records of 0.1.0 do not say who spoke. Access had let the speaker in, and no named grant applies. */
const UNKNOWN: readonly Cause[] = [{ speaker: "member" }];

/** Decides who may do what with one agent (R1). This is the only place that decides. */
export class Rights {
  readonly #grants: ReadonlyMap<string, readonly Grant[]>;
  readonly #groupsOf = new Map<string, string[]>();
  readonly #permits = new Map<string, Permit>();

  constructor(config: RightsConfig = {}, groups: Groups = {}) {
    this.#grants = new Map(Object.entries({ ...DEFAULT_RIGHTS, ...config }));
    for (const [group, accounts] of Object.entries(groups)) {
      const name = group === OPERATOR ? OPERATOR : `group:${group}`;
      for (const account of accounts) this.#groupsOf.set(account, [...(this.#groupsOf.get(account) ?? []), name]);
    }
  }

  /** The permit of work with these causes. Speakers with the same rights share one, so that tools can be cached by it. */
  permit({ causes = UNKNOWN }: Caused): Permit {
    const entries = causes.map((cause) => this.entriesOf(cause));
    const key = JSON.stringify(entries);
    const known = this.#permits.get(key);
    if (known !== undefined) return known;
    const permit = this.#permitOf(this.#grantedTo(causes));
    this.#permits.set(key, permit);
    return permit;
  }

  /** The grants of each cause. */
  #grantedTo(causes: readonly Cause[]): readonly (readonly Granted[])[] {
    return causes.map((cause) => this.entriesOf(cause).flatMap((entry) => this.grantsOf(entry)));
  }

  /** The entries of the configuration that apply to a speaker; their grants add up. */
  entriesOf({ speaker, channel, id }: Cause): readonly string[] {
    if (speaker === "peer") return [this.#grants.has(`peer:${id}`) ? `peer:${id}` : "peer"];
    const account = `${channel}:${id}`;
    const named = channel === undefined || id === undefined ? [] : [...(this.#groupsOf.get(account) ?? []), account];
    return [...new Set([speaker, ...named])].filter((entry) => this.#grants.has(entry));
  }

  /** The grants of an entry, with its defaults spelled out. */
  grantsOf(entry: string): readonly Granted[] {
    const grants = this.#grants.get(entry) ?? [];
    return [
      ...new Set(grants.flatMap((grant): readonly Granted[] => (grant === "default" ? defaultsOf(entry) : [grant]))),
    ];
  }

  /** Whether an entry of the configuration grants a right. */
  entryAllows(entry: string, need: Need): boolean {
    return need === "talk" || this.grantsOf(entry).some((grant) => covers(grant, need));
  }

  #permitOf(granted: readonly (readonly Granted[])[]): Permit {
    const allows = (need: Need): boolean =>
      need === "talk" || (granted.length > 0 && granted.every((grants) => grants.some((grant) => covers(grant, need))));
    return {
      allows,
      allowsSome: (beginning) =>
        granted.length > 0 && granted.every((grants) => grants.some((grant) => mayCover(grant, beginning))),
      // A pattern counts as included only if the same pattern or a wider one is granted.
      includes: ({ causes = UNKNOWN }) => {
        const other = this.permit({ causes });
        return this.#grantedTo(causes)
          .flat()
          .every((need) => !other.allows(need) || allows(need));
      },
      refusalOf: (need, texts = english) => (allows(need) ? undefined : refusal(need, texts)),
      ensure(need) {
        if (!allows(need)) throw new ToldError("forbidden", (texts) => refusal(need, texts));
      },
    };
  }
}

const defaultsOf = (entry: string): readonly Ability[] =>
  DEFAULT_RIGHTS[(entry.startsWith("peer:") ? "peer" : entry) as keyof typeof DEFAULT_RIGHTS] ?? [];

const covers = (grant: Granted, need: Need): boolean =>
  grant === need ||
  (grant === "schedule" && need === "remind") ||
  (grant === "approve" && need === "confirm") ||
  (grant.startsWith("tool:") && need.startsWith("tool:") && patternOf(grant).test(need));

/** Whether a grant covers any tool whose need begins like this. */
const mayCover = (grant: Granted, beginning: string): boolean => {
  const [fixed = "", ...rest] = grant.split("*");
  return fixed.startsWith(beginning) || (rest.length > 0 && beginning.startsWith(fixed));
};

/** "*" stands for any characters of a tool's name. */
const patternOf = (grant: string): RegExp => new RegExp(`^${grant.replaceAll("*", "[\\w*-]*")}$`);

/** Also for speakers who are not people, so it names none. */
const refusal = (need: Need, { rights }: Texts): string =>
  rights.refused(
    need in ABILITIES ? rights.abilities[need as Ability] : rights.useTool(need.slice("tool:".length)),
    need,
  );
