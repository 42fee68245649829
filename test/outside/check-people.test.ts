import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild, startMooring } from "../e2e/mooring-process.ts";
import { Product } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
afterEach(() => product.dispose());

/** The output of `mooring check`, which must not fail. */
const checked = async (changes: object): Promise<string> => {
  const config = {
    agents: [{ name: "mooring", model: "demo" }],
    channels: { web: { adapter: "web", identityKey: "identity-key-of-the-tests-0123456789" }, cli: { adapter: "web" } },
    ...changes,
  };
  await writeFile(join(product.folder, "checked.yaml"), JSON.stringify(config));
  const check = startMooring(["check", "--config", "checked.yaml"], { cwd: product.folder });
  expect(await check.exited).toEqual({ code: 0, signal: null });
  return check.stdout();
};

const NOTE = "no person is known on two of web, cli";

describe("given an agent with several channels (I1)", () => {
  it("when no person is known on two of them, then `check` says so and what to do; otherwise it does not", async () => {
    product = await Product.create({ backbone: "embedded" });
    const note = await checked({});
    expect(note).toContain(NOTE);
    for (const advice of ["set owner", "declare people", "/link", "docs/people.md"]) expect(note).toContain(advice);
    expect(await checked({ people: [{ name: "Ada", accounts: { web: "ada" } }] })).toContain(NOTE);
    expect(await checked({ people: [{ name: "Ada", accounts: { web: "ada", cli: "ada" } }] })).not.toContain(
      "no person",
    );
    expect(
      await checked({ owner: { name: "Ada" }, channels: { web: { adapter: "web" }, cli: { adapter: "web" } } }),
    ).not.toContain("no person");
    expect(await checked({ channels: { web: { adapter: "web" } } })).not.toContain("no person");
  });
});
