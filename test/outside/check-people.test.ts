import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild, startMooring } from "../e2e/mooring-process.ts";
import { Product } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
afterEach(() => product.dispose());

/** Runs `mooring check` on a configuration. */
const check = async (changes: object) => {
  const config = {
    agents: [{ name: "mooring", model: "demo" }],
    channels: { web: { adapter: "web", identityKey: "identity-key-of-the-tests-0123456789" }, cli: { adapter: "web" } },
    ...changes,
  };
  await writeFile(join(product.folder, "checked.yaml"), JSON.stringify(config));
  const process = startMooring(["check", "--config", "checked.yaml"], { cwd: product.folder });
  const { code } = await process.exited;
  return { code, output: process.stdout() + process.stderr() };
};

/** The output of a `mooring check` that must not fail. */
const checked = async (changes: object): Promise<string> => {
  const { code, output } = await check(changes);
  expect(code).toBe(0);
  return output;
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

describe("given a skill that tells people about the answers to callers (A10)", () => {
  it("when no place for them is configured, then `check` fails and names the setting; with a place it does not", async () => {
    product = await Product.create({ backbone: "embedded" });
    const people = [{ name: "Ada", accounts: { web: "ada" } }];
    const skill = { id: "news", name: "News", description: "Brings news.", tellPeople: true };
    const crm = { token: "tR7wq0Zk-41xVb8Lm2cYdN6sHf3uJe9P" };
    const deliverTo = { person: "Ada" };
    const withPlaces = (places: { home?: object; skill?: object; caller?: object }) => ({
      people,
      agents: [
        {
          name: "mooring",
          model: "demo",
          skills: [{ ...skill, ...(places.skill && { deliverTo: places.skill }) }],
          ...(places.home && { home: places.home }),
        },
      ],
      a2a: { callers: { crm: { ...crm, ...(places.caller && { deliverTo: places.caller }) } } },
    });
    const { code, output } = await check(withPlaces({}));
    expect(code).not.toBe(0);
    expect(output).toContain("agents[0].skills[0].tellPeople");
    for (const place of ["home", "skill", "caller"]) await checked(withPlaces({ [place]: deliverTo }));
  });
});
