import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { plantUse } from "../../core/budgets/plant-use.ts";
import { type BackboneData, createBackboneData, openBackbone } from "../../core/crashes/backbone-data.ts";
import { AdminRig, acmeAdmin } from "./admin-rig.ts";

describe.each(["embedded", "nats"] as const)("given use on several days, on %s", (kind) => {
  let data: BackboneData;
  let backbone: Backbone;
  let rig: AdminRig;

  beforeEach(async () => {
    data = await createBackboneData[kind]();
    backbone = await openBackbone(data.options);
    rig = await AdminRig.open(undefined, {}, backbone);
    const plant = (day: string, personId: string, use: object) => plantUse(backbone.store, { day, personId, ...use });
    await plant("2026-11-16", "p-ann", { model: "m", tokens: 100, cost: 0.2 });
    await plant("2026-11-14", "p-ann", { model: "m", tokens: 50, cost: 0.1 });
    await plant("2026-11-14", "p-ann", { model: "n", tokens: 7 });
    await plant("2026-11-10", "p-bob", { model: "m", tokens: 900, cost: 2 });
    await plant("2026-11-09", "p-bob", { model: "m", tokens: 900, cost: 2 });
    await plant("2026-10-18", "p-old", { model: "m", tokens: 1, cost: 9 });
    await plant("2026-10-17", "p-old", { model: "m", tokens: 1, cost: 9 });
    await plant("2026-11-15", "p-eve", { tenant: "acme", agent: "helper", model: "m", tokens: 5, cost: 1 });
  }, 60_000);
  afterEach(async () => {
    await rig.close();
    await backbone.close();
    await data.dispose();
  });

  const list = async (query: string, headers?: Record<string, string>) =>
    (await rig.call("GET", query, undefined, headers)).body;
  const people = ({ items }: { items: { personId: string; models: { cost?: number }[] }[] }) =>
    items.map(({ personId, models }) => [personId, ...models.map(({ cost }) => cost)]);

  it("when an operator asks for a range, then each person has the sums of its days, the highest cost first (R2, U3)", async () => {
    expect(people(await list("use?tenant=default"))).toEqual([["p-ann", 0.2]]);
    const week = await list("use?days=7&tenant=default");
    expect(people(week)).toEqual([
      ["p-bob", 2],
      ["p-ann", 0.3, undefined],
    ]);
    expect(week.items[1]).toMatchObject({ day: "2026-11-16", days: 7, tenant: "default", agent: "mooring" });
    expect(week.items[1].models).toEqual([
      { model: "m", turns: 2, requests: 2, inputTokens: 150, outputTokens: 2, cost: 0.3 },
      { model: "n", turns: 1, requests: 1, inputTokens: 7, outputTokens: 1 },
    ]);
    expect(people(await list("use?days=30&tenant=default"))[0]).toEqual(["p-old", 9]);
    expect(people(await list("use?days=7&day=2026-11-14&tenant=default"))).toEqual([
      ["p-bob", 4],
      ["p-ann", 0.1, undefined],
    ]);
  });

  it("when the list has several pages, then they show each person once, within the operator's tenant", async () => {
    const first = await list("use?days=30&limit=2");
    const second = await list(`use?days=30&limit=2&after=${first.next}`);
    expect(people(first)).toEqual([
      ["p-old", 9],
      ["p-bob", 4],
    ]);
    expect(people(second)).toEqual([
      ["p-eve", 1],
      ["p-ann", 0.3, undefined],
    ]);
    expect(second.next).toBeUndefined();
    expect(people(await list("use?days=30", acmeAdmin))).toEqual([["p-eve", 1]]);
    expect((await rig.call("GET", "use?days=7&tenant=default", undefined, acmeAdmin)).status).toBe(404);
  });

  it("when they ask for totals, then agents and models have the sums, and each person counts once", async () => {
    expect((await list("use/totals?days=7&tenant=default")).items).toEqual([
      {
        ...{ day: "2026-11-16", days: 7, tenant: "default", agent: "mooring", model: "m", people: 2 },
        ...{ turns: 3, requests: 3, inputTokens: 1_050, outputTokens: 3, cost: 2.3 },
      },
      expect.objectContaining({ model: "n", people: 1, inputTokens: 7 }),
    ]);
  });

  it("when the number of days is out of range, then the request is refused", async () => {
    for (const days of ["0", "36", "many"]) {
      expect((await rig.call("GET", `use?days=${days}`)).status).toBe(400);
      expect((await rig.call("GET", `use/totals?days=${days}`)).status).toBe(400);
    }
  });
});
