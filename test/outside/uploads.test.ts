import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { HeldUpload } from "../fakes/held-upload.ts";
import type { WebClient } from "../fakes/web-client.ts";
import { type Backbone, Product } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
afterEach(() => product.dispose());

const FILE = 60_000;

const start = async (backbone: Backbone, config: object) => {
  product = await Product.create({ backbone, config });
  const mooring = await product.start("start");
  await mooring.ready();
  return mooring.address;
};

const enter = async (name: string, address: string): Promise<WebClient> => {
  const visitor = product.client(name, address);
  await visitor.until(() => visitor.room !== undefined, "the welcome");
  return visitor;
};

describe.each<Backbone>(["embedded", "nats"])("given a visitor with 150,000 stored bytes a day, on %s", (backbone) => {
  const config = {
    agents: [{ name: "mooring", model: "demo", budgets: { visitor: { storedBytesPerDay: 150_000 } } }],
    channels: { web: { adapter: "web" } },
  };

  it("when they upload more, then the file is refused before its bytes are taken, /budget counts the files, and others are not affected (R2, R3)", async () => {
    const address = await start(backbone, config);
    const visitor = await enter("visitor", address);
    await visitor.upload("a.txt", "x".repeat(FILE));
    await visitor.upload("b.txt", "x".repeat(FILE));
    const used = (await visitor.answerTo(visitor.command("budget"))).markdown;
    expect(used).toContain("120,000 of 150,000 stored bytes");
    const third = await HeldUpload.begin({ address, token: visitor.token, bytes: FILE });
    expect(await third.refused()).toBe(429);
    await expect(visitor.upload("c.txt", "x".repeat(FILE))).rejects.toThrow(
      /429: .*does not fit into the budget\. Your budget for today is used up \(120,000 of 150,000 stored bytes\)/,
    );
    await visitor.upload("d.txt", "x".repeat(1_000));
    const other = await enter("other", address);
    await other.upload("a.txt", "x".repeat(FILE));
    expect((await visitor.answerTo(visitor.say("What is 6 * 7?"))).markdown).toContain("42");
  });
});

describe("given uploads of visitors who may not send files, or whose limit is used up", () => {
  it("when they send only the headers, then each is refused without its body: no token, no access, blocked, too large, full (R3)", async () => {
    const admin = "admin-kX9vQ2mT7wZ4pR1b";
    const address = await start("embedded", {
      admin: { tokens: [{ token: admin, role: "platform_admin" }] },
      agents: [{ name: "mooring", model: "demo" }],
      channels: {
        web: { adapter: "web", limits: { fileBytes: 100_000, storedBytesPerVisitor: 100_000 } },
        closed: { adapter: "web", access: { accounts: ["ann@example.com"] } },
      },
    });
    const visitor = await enter("visitor", address);
    const status = async (options: { channel?: string; token?: string | undefined; bytes?: number }) =>
      (await HeldUpload.begin({ address, bytes: FILE, ...options })).refused();
    expect(await status({})).toBe(401);
    expect(await status({ token: "v1.forged.token" })).toBe(401);
    expect(await status({ token: visitor.token, bytes: 100_001 })).toBe(413);
    await visitor.upload("a.txt", "x".repeat(50_000));
    expect(await status({ token: visitor.token, bytes: 40_000 })).toBe(429);
    const outsider = product.client("outsider", address, undefined, "closed");
    await outsider.until(() => outsider.room !== undefined, "the welcome");
    expect(await status({ channel: "closed", token: outsider.token })).toBe(403);
    const account = { channel: "web", accountId: visitor.room };
    const blocked = await fetch(`${address}/admin/api/blocks`, {
      method: "POST",
      headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
      body: JSON.stringify({ ...account, reason: "spam" }),
    });
    expect(blocked.status).toBe(200);
    expect(await status({ token: visitor.token, bytes: 10 })).toBe(403);
  });
});
