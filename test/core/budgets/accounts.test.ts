import { describe, expect, it } from "vitest";
import { Accounts, type BudgetedWork } from "../../../core/budgets/accounts.ts";
import type { Cause } from "../../../core/contract/messages/work-context.ts";
import { unlinkedPersonId } from "../../../core/people/index.ts";
import { sampleWork } from "./sample-account.ts";

const limits = { turnsPerDay: 10, unattendedShare: 0.9 };
const all = new Accounts(
  { tenant: "default", agent: "mooring" },
  {
    ofAgent: {
      person: limits,
      visitor: limits,
      caller: limits,
      anonymous: limits,
      member: limits,
      operator: limits,
      peer: limits,
      unattended: limits,
      agent: limits,
    },
    ofTenant: { tenant: limits },
  },
);
const names = (work: BudgetedWork) =>
  all.of(work).map(({ scope, subject }) => (scope === subject ? scope : `${scope} ${subject}`));
const caused = (...causes: Cause[]): BudgetedWork => {
  const work = sampleWork("ann");
  return { ...work, asker: { ...work.asker, causes } };
};
const ANN = unlinkedPersonId("default", "web", "ann");

describe("given limits of every scope", () => {
  it("when a member, a visitor, a caller or the configuration causes work, then it is charged to its own scopes (R2)", () => {
    expect(names(sampleWork("ann"))).toEqual([`person ${ANN}`, "member", "agent", "tenant"]);
    expect(names(sampleWork("ann", { speaker: "anonymous" }))).toEqual([
      `visitor ${ANN}`,
      "anonymous",
      "agent",
      "tenant",
    ]);
    expect(names(caused({ speaker: "peer", id: "acme" }))).toEqual(["caller peer/acme", "peer", "agent", "tenant"]);
    expect(names(caused({ speaker: "operator" }))).toEqual(["operator", "agent", "tenant"]);
    expect(names(caused())).toEqual(["agent", "tenant"]);
  });

  it("when work has several causes, then each class is charged, and the person, not the peer, owns it", () => {
    const work = caused({ speaker: "member", channel: "web", id: "ann" }, { speaker: "peer", id: "helper" });
    expect(names(work)).toEqual([`person ${ANN}`, "member", "peer", "agent", "tenant"]);
  });

  it("when work is unattended, then it is also charged to that scope", () => {
    expect(names(sampleWork("ann", { background: true }))).toContain("unattended");
    expect(names({ ...sampleWork("ann"), standing: { background: false, subtaskId: "subtask-1" } })).toContain(
      "unattended",
    );
  });

  it("when a stored record says nothing of its speaker, then it counts as a member's", () => {
    const { causes: _, ...asker } = sampleWork("ann").asker;
    expect(names({ ...sampleWork("ann"), asker })).toEqual([`person ${ANN}`, "member", "agent", "tenant"]);
  });
});

describe("given an account that is linked and unlinked", () => {
  it("when it speaks, then both the person and the account are charged, so that neither has a fresh budget", () => {
    const linked = names(sampleWork("ann", { personId: "p-joined" }));
    expect(linked.slice(0, 2)).toEqual(["person p-joined", `person ${ANN}`]);
    expect(names(sampleWork("ann"))[0]).toBe(`person ${ANN}`);
  });
});

describe("given no limits", () => {
  it("when work is looked up, then it has no accounts", () => {
    expect(new Accounts({ tenant: "default", agent: "mooring" }, {}).of(sampleWork("ann"))).toEqual([]);
  });
});
