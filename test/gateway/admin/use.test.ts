import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BudgetService } from "../../../core/budgets/index.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import { personKey } from "../../../core/people/person-record.ts";
import { sampleWork } from "../../core/budgets/sample-account.ts";
import { AdminRig, acmeAdmin } from "./admin-rig.ts";

let rig: AdminRig;
let budgets: BudgetService;
beforeEach(async () => {
  rig = await AdminRig.open();
  const { store } = rig.backbone;
  const notify = async () => undefined;
  budgets = new BudgetService({ store, clock: rig.clock, logger: silentLogger, meter: silentMeter, notify });
});
afterEach(() => rig.close());

const REQUEST = { system: "", messages: [], tools: [], toolChoice: "auto" as const };
const rules = { ofAgent: { person: { turnsPerDay: 100, unattendedShare: 0.9 } } };
const prices = { m: { input: 1, output: 10 } };

/** One turn that reads 100 and writes 50 tokens. */
const spend = async (agent: string, tenant: string, id: string, model = "m") => {
  const spending = await (budgets.of(agent) ?? budgets.add({ tenant, agent }, { ...rules, prices })).reserve(
    sampleWork(id),
    model,
    REQUEST,
    true,
  );
  spending.settle({ inputTokens: 100_000, outputTokens: 50_000 });
};
const call = async (path: string, headers?: Record<string, string>) =>
  (await rig.call("GET", path, undefined, headers)).body;

describe("given the use of two agents by two people", () => {
  beforeEach(async () => {
    const { personId: id } = sampleWork("ann").asker;
    await rig.backbone.store.put(personKey("default", id), {
      id,
      tenant: "default",
      name: "Ann",
      membership: 0,
      accounts: [],
      surfaces: [],
    });
    await spend("mooring", "default", "ann");
    await spend("mooring", "default", "ann", "unpriced");
    await spend("mooring", "default", "bob");
    await spend("helper", "acme", "eve");
    await budgets.stop();
  });

  it("when an operator lists it, then each person has their models with tokens and cost, within the tenant (R2)", async () => {
    const { items } = await call("use?tenant=default");
    const ann = items.find(({ name }: { name?: string }) => name === "Ann");
    expect(ann).toMatchObject({
      agent: "mooring",
      personId: sampleWork("ann").asker.personId,
      models: [
        { model: "m", turns: 1, requests: 1, inputTokens: 100_000, outputTokens: 50_000, cost: 0.6 },
        { model: "unpriced", turns: 1 },
      ],
    });
    expect(ann.models[1]).not.toHaveProperty("cost");
    expect(items).toHaveLength(2);
    expect((await call("use", acmeAdmin)).items).toMatchObject([{ tenant: "acme", agent: "helper" }]);
    expect((await rig.call("GET", "use?tenant=default", undefined, acmeAdmin)).status).toBe(404);
    expect((await rig.call("GET", "use?day=yesterday")).status).toBe(400);
  });

  it("when they ask for totals, then agents and models are summed up per day", async () => {
    const { items } = await call("use/totals?tenant=default");
    expect(items).toMatchObject([
      { agent: "mooring", model: "m", people: 2, turns: 2, inputTokens: 200_000, cost: 1.2 },
      { agent: "mooring", model: "unpriced", people: 1 },
    ]);
    rig.clock.advance(24 * 3_600_000);
    expect((await call("use/totals")).items).toEqual([]);
    const yesterday = new Date(rig.clock.now() - 24 * 3_600_000).toISOString().slice(0, 10);
    expect((await call(`use/totals?day=${yesterday}`)).items).toHaveLength(3);
  });

  it("when they list budgets, then each has what is taken", async () => {
    const { items } = await call("budgets?tenant=default");
    const ann = items.find(({ name }: { name?: string }) => name === "Ann");
    expect(ann).toMatchObject({ agent: "mooring", scope: "person", lifted: false });
    expect(ann.limits).toEqual([{ resource: "turns", taken: 2 }]);
  });
});
