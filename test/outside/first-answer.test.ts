import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { type Backbone, Product } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
afterEach(() => product.dispose());

describe.each<Backbone>(["embedded", "nats"])("given the product as a process on the %s backbone", (backbone) => {
  it("when a visitor writes as soon as it is ready, then the message is answered and SIGTERM ends it with 0 (U6)", async () => {
    product = await Product.create({ backbone });
    const mooring = await product.start("start");
    await mooring.ready();
    const visitor = product.client("visitor", mooring.address);
    const answer = await visitor.answerTo(visitor.say("hello there"));
    expect(answer.markdown).toContain("demo");
    expect(await mooring.end()).toEqual({ code: 0, signal: null });
  });
});
