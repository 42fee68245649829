import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { MAIN, requireFreshBuild, startMooring } from "../e2e/mooring-process.ts";
import { buildOfFormat } from "./other-build.ts";
import { type Backbone, Product, type StartedProcess } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
afterEach(() => product.dispose());

const ADVICE =
  /was written by a newer Mooring \(format 99; \d+ is the newest known here\)\. Install that version or a later one again, or restore a backup from before the upgrade/;

const launch = async (main: string): Promise<StartedProcess> => {
  const process = await product.start("start", {}, main);
  await process.ready();
  return process;
};

/** Starts this version, which must end by itself. */
const refusal = async () => {
  const refused = await product.start("start", {}, MAIN);
  expect(await refused.exited).toEqual({ code: 1, signal: null });
  return refused.stderr();
};

describe.each<Backbone>(["embedded", "nats"])("given data on %s that a newer version has written", (backbone) => {
  it("when this version starts, then it refuses with advice, and the newer version continues with all data (U5)", async () => {
    product = await Product.create({ backbone });
    const newer = await buildOfFormat(99, product.folder);
    const first = await launch(MAIN);
    const addresses = [first.address];
    const visitor = product.client("visitor", () => addresses.at(-1) ?? "");
    await visitor.answerTo(visitor.say("hello"));
    await first.end();

    const second = await launch(newer);
    addresses.push(second.address);
    await visitor.answerTo(visitor.say("hello again"));
    await second.end();

    expect(await refusal()).toMatch(ADVICE);
    expect(await refusal(), "a second start refuses as well").toMatch(ADVICE);

    const third = await launch(newer);
    addresses.push(third.address);
    await visitor.answerTo(visitor.say("and again"));
    const said = visitor.log.filter(({ type }) => type === "said").map(({ text }) => text);
    expect(said).toEqual(["hello", "hello again", "and again"]);
  });
});

describe("given a process of this version and one of a newer version on NATS, as in a rolling upgrade", () => {
  it("when a process of this version starts again beside them, then it may; once only newer ones start, it is refused (U5)", async () => {
    product = await Product.create({ backbone: "nats" });
    const newer = await buildOfFormat(99, product.folder);
    const old = await launch(MAIN);
    const upgraded = await launch(newer);
    const again = await launch(MAIN);
    const visitors = [old, upgraded, again].map(({ address }, nth) => product.client(`visitor-${nth}`, address));
    await Promise.all(visitors.map((visitor) => visitor.answerTo(visitor.say("hello"))));
    for (const process of [old, again, upgraded]) await process.end();
    await launch(newer);
    expect(await refusal()).toMatch(ADVICE);
  });
});

describe("given a backup of a newer version", () => {
  it("when this version restores it, then it refuses with advice (U5)", async () => {
    product = await Product.create({ backbone: "embedded" });
    const newer = await buildOfFormat(99, product.folder);
    await (await launch(newer)).end();
    const run = (main: string, ...args: string[]) =>
      startMooring([...args, "--config", "start-1.yaml"], { cwd: product.folder, main });
    expect((await run(newer, "backup", "copy.db").exited).code).toBe(0);
    const restored = run(MAIN, "restore", "copy.db", "--force");
    expect((await restored.exited).code).toBe(1);
    expect(restored.stderr()).toMatch(ADVICE);
  });
});
