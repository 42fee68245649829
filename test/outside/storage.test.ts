import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import type { WebClient } from "../fakes/web-client.ts";
import { type Backbone, Product } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
afterEach(() => product.dispose());

const MB = 1_000_000;
const web = (more: object) => ({ channels: { web: { adapter: "web", ...more } } });

const started = async (backbone: Backbone, more: object) => {
  product = await Product.create({ backbone, config: web(more) });
  const mooring = await product.start("start");
  await mooring.ready();
  return mooring;
};

/** An anonymous visitor whose socket is accepted. */
const enter = async (name: string, address: string): Promise<WebClient> => {
  const visitor = product.client(name, address);
  await visitor.until(() => visitor.room !== undefined, "the welcome");
  return visitor;
};

/** The reason of a refusal, or "stored". */
const upload = (visitor: WebClient, bytes: number): Promise<string> =>
  visitor.upload("a.txt", "x".repeat(bytes)).then(
    () => "stored",
    (error: Error) => error.message,
  );

const bytesIn = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

describe.each<Backbone>(["embedded", "nats"])("given anonymous visitors of the web channel on %s", (backbone) => {
  it("when they upload as fast as they can, then the channel stores no more than its limit, and answers (R3)", async () => {
    const limits = { storedBytesPerVisitor: 4 * MB, storedBytesPerAddress: MB, storedBytes: 100 * MB };
    const mooring = await started(backbone, { limits });
    const visitors = await Promise.all([1, 2, 3, 4].map((n) => enter(`visitor-${n}`, mooring.address)));
    const outcomes = await Promise.all(
      visitors.flatMap((visitor) => Array.from({ length: 5 }, () => upload(visitor, MB))),
    );
    const refused = outcomes.filter((outcome) => outcome !== "stored");
    // Loopback has the limit of ten addresses: 10 MB in an hour, three quarters of it as files, in base64.
    expect(outcomes.length - refused.length).toBe(5);
    for (const reason of refused) expect(reason).toMatch(/^refused with 429: .*try again in \d+ minutes/);
    const [first] = visitors;
    expect((await first?.answerTo(first.say("What is 6 * 7?")))?.markdown).toContain("42");
    if (backbone === "embedded") expect(bytesIn(join(product.folder, "data"))).toBeLessThan(25 * MB);
  });
});

describe("given a disk that is nearly full", () => {
  it("when a visitor uploads and writes, then the file is refused and the message is answered (R3)", async () => {
    const mooring = await started("embedded", { limits: { minFreeBytes: Number.MAX_SAFE_INTEGER } });
    const visitor = await enter("visitor", mooring.address);
    expect(await upload(visitor, 10)).toMatch(/^refused with 503: .*disk is nearly full/);
    expect((await visitor.answerTo(visitor.say("What is 6 * 7?"))).markdown).toContain("42");
  });
});

describe("given an anonymous visitor without access", () => {
  it("when they upload a file, then it is refused with 403 (R3)", async () => {
    const mooring = await started("embedded", { access: { accounts: ["ann@example.com"] } });
    const visitor = await enter("visitor", mooring.address);
    expect(await upload(visitor, MB)).toMatch(/^refused with 403: .*you may not write here/);
  });
});
