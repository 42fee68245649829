import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../config/parse-config.ts";
import { describeBudgets } from "../../../gateway/cli/check.ts";

const rowsOf = (yaml: string) => describeBudgets(parseConfig({ file: "mooring.yaml", text: yaml, env: {} }));

describe("given budgets in the configuration", () => {
  it("when it is checked, then each scope has a line, and models without a price are named", () => {
    const rows = rowsOf(`
agents: [{ name: mooring, model: demo, budgets: { person: { turnsPerDay: 9, softShare: 0.8 }, visitor: { turnsPerDay: unlimited } } }]
tenants: { default: { budgets: { tenant: { costPerDay: 2 } } } }
`);
    expect(rows).toEqual([
      [
        "Budgets",
        "mooring\n  person: turnsPerDay 9, softShare 0.8\n  visitor: turnsPerDay unlimited, tokensPerDay 500000, subtasksPerDay 30, schedulesAtOnce 5\n  anonymous: turnsPerDay 5000, tokensPerDay 25000000, subtasksPerDay 1500, schedulesAtOnce 250",
      ],
      ["Budgets", "tenant default\n  tenant: costPerDay 2"],
      ["Prices", "none for demo, so costPerDay does not limit it"],
    ]);
  });

  it("when there are none, then the limits of visitors are printed", () => {
    expect(rowsOf("agents: [{ name: mooring, model: demo }]")).toEqual([
      [
        "Budgets",
        "mooring\n  visitor: turnsPerDay 100, tokensPerDay 500000, subtasksPerDay 30, schedulesAtOnce 5\n  anonymous: turnsPerDay 5000, tokensPerDay 25000000, subtasksPerDay 1500, schedulesAtOnce 250",
      ],
    ]);
  });
});
