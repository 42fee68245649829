import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Cause } from "../../../core/contract/messages/work-context.ts";
import { ABILITIES, type Need } from "../../../core/contract/rights.ts";
import { type RightsConfig, RightsConfig as Schema } from "../../../core/rights/config.ts";
import { Rights } from "../../../core/rights/index.ts";
import { mayDo } from "./rule-model.ts";

const member: Cause = { speaker: "member", channel: "slack", id: "U1" };
const anonymous: Cause = { speaker: "anonymous", channel: "web", id: "v1" };

describe("given the default rights (R1)", () => {
  const rights = new Rights();
  const abilitiesOf = (...causes: Cause[]) =>
    (Object.keys(ABILITIES) as Need[]).filter((need) => rights.permit({ causes }).allows(need));

  it("then anonymous people talk, delegate and set reminders, and do nothing else", () => {
    expect(abilitiesOf(anonymous)).toEqual(["delegate", "remind"]);
    expect(rights.permit({ causes: [anonymous] }).allows("talk")).toBe(true);
  });

  it("then neither people nor agents may use a workspace or a tool of the operator", () => {
    for (const cause of [anonymous, member, { speaker: "operator" as const }, { speaker: "peer" as const, id: "x" }]) {
      const permit = rights.permit({ causes: [cause] });
      expect(permit.allows("workspace")).toBe(false);
      expect(permit.allows("tool:anything")).toBe(false);
    }
  });

  it("when a member and another agent caused the work, then it may do what both may do", () => {
    expect(abilitiesOf(member, { speaker: "peer", id: "x" })).toEqual(["delegate", "peers"]);
  });

  it("when a record of 0.1.0 names no cause, then it has the rights of a member; with an empty list it has none", () => {
    expect(rights.permit({}).allows("schedule")).toBe(true);
    expect(rights.permit({ causes: [] }).allows("delegate")).toBe(false);
  });

  it("when something is refused, then the text names the right and who can grant it", () => {
    expect(() => rights.permit({ causes: [anonymous] }).ensure("schedule")).toThrow(
      "Not allowed here: this needs the right to make schedules that repeat (`schedule`). An operator can grant it.",
    );
    expect(rights.permit({ causes: [member] }).refusalOf("tool:web_search")).toContain("use the tool web_search");
  });
});

describe("given configured rights (R1)", () => {
  it("when a pattern has a star, then it matches any rest of a tool's name, and nothing that is not a tool", () => {
    const permit = new Rights({ member: ["tool:git__*"] }).permit({ causes: [member] });
    expect(permit.allows("tool:git__log")).toBe(true);
    expect(permit.allows("tool:github__log")).toBe(false);
    expect(permit.allows("workspace")).toBe(false);
  });

  it("when an account is in the group operator, then it has the rights of operators in addition", () => {
    const rights = new Rights({ member: [] }, { operator: ["slack:U1"] });
    expect(rights.permit({ causes: [member] }).allows("approve")).toBe(true);
    expect(rights.permit({ causes: [{ ...member, id: "U2" }] }).allows("approve")).toBe(false);
  });

  it("when two permits are compared, then one includes the other only if it allows everything that the other allows", () => {
    const rights = new Rights({ member: ["delegate", "tool:*"], anonymous: ["tool:git__*"], peer: ["workspace"] });
    const permitOf = (...causes: Cause[]) => rights.permit({ causes });
    expect(permitOf(member).includes({ causes: [anonymous] })).toBe(true);
    expect(permitOf(anonymous).includes({ causes: [member] })).toBe(false);
    expect(permitOf(member).includes({ causes: [{ speaker: "peer", id: "x" }] })).toBe(false);
    // Together they have no right in common, so nothing is missing.
    expect(permitOf(anonymous).includes({ causes: [member, { speaker: "peer", id: "x" }] })).toBe(true);
  });

  it.each([
    ["a grant that does not exist", { member: ["shedule"] }],
    ["a speaker that does not exist", { members: ["delegate"] }],
    ["a tool without a name", { member: ["tool:"] }],
    ["a single grant", { member: "delegate" }],
  ])("when there is %s, then the configuration is invalid", (_, config) => {
    expect(Schema.safeParse(config).success).toBe(false);
  });
});

describe("given any configuration and any causes (R1)", () => {
  const grant = fc.constantFrom("default", "delegate", "schedule", "workspace", "approve", "tool:*", "tool:probe_a");
  const entry = fc.constantFrom("anonymous", "member", "operator", "peer", "peer:x", "group:g", "web:v1", "slack:U1");
  const cause = fc.constantFrom<Cause>(
    anonymous,
    member,
    { speaker: "operator" },
    { speaker: "peer", id: "x" },
    { speaker: "peer", id: "y" },
  );
  const need = fc.constantFrom("delegate", "remind", "schedule", "workspace", "approve", "tool:probe_a", "tool:b");
  const group = fc.subarray(["web:v1", "slack:U1"]);

  it("then the decision is that of the rule as it is written in the requirements", () => {
    fc.assert(
      fc.property(
        fc.dictionary(entry, fc.array(grant)),
        fc.record({ operator: group, g: group }),
        fc.array(cause, { minLength: 1, maxLength: 3 }),
        need,
        (rights, groups, causes, wanted) => {
          const decided = new Rights(rights as RightsConfig, groups).permit({ causes }).allows(wanted as Need);
          expect(decided).toBe(mayDo({ rights, groups }, causes, wanted));
        },
      ),
      { numRuns: 500 },
    );
  });
});
