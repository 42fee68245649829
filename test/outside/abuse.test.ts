import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { type Backbone, Product } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
afterEach(() => product.dispose());

const TOKEN = "vQ2mT7wZ4kX9-hB5nY8rC3dL6-operator";
const config = { admin: { tokens: [{ token: TOKEN, role: "platform_admin" }] }, logLevel: "info" };

const admin = async (address: string, method: "GET" | "POST", path: string, body?: object) => {
  const response = await fetch(`${address}/admin/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as ReturnType<typeof JSON.parse> };
};

/** One process, or two gateways and a core: a block through the first gateway counts on the second. */
const deploy = async (backbone: Backbone) => {
  product = await Product.create({ backbone, config });
  const roles = backbone === "embedded" ? (["start"] as const) : (["gateway", "gateway", "core"] as const);
  const processes = [];
  for (const role of roles) processes.push(await product.start(role));
  await Promise.all(processes.map((process) => process.ready()));
  return processes;
};

describe.each<Backbone>(["embedded", "nats"])("given a visitor whom an operator blocks, on %s (R3)", (backbone) => {
  it("when they write on any gateway, also after a restart, then they get one refusal and then silence, until they are unblocked", async () => {
    const [first, second = first] = await deploy(backbone);
    if (first === undefined || second === undefined) throw new Error("no process");
    let address = second.address;
    const visitor = product.client("visitor", () => address);
    expect((await visitor.answerTo(visitor.say("What is 6 * 7?"))).markdown).toContain("42");
    /** A message that is sent again after a reconnect is accepted twice. */
    const isAccepted = () => new Set(visitor.accepted).size === visitor.sent.length;
    const account = { channel: "web", accountId: visitor.room ?? "" };
    const blocked = await admin(first.address, "POST", "blocks", { ...account, reason: "spam" });
    expect(blocked.status).toBe(200);
    // Messages may be accepted and answered until the signal reaches their gateway.
    await visitor.until(() => {
      if (visitor.errors.length === 0 && isAccepted()) visitor.say("hello?");
      return visitor.errors.length > 0;
    }, "the refusal");
    expect(visitor.errors.map(({ code, message }) => [code, message])).toEqual([
      ["refused", expect.stringContaining("has been blocked")],
    ]);
    const before = visitor.replies().length;
    visitor.say("Are you there?");
    await expect(visitor.upload("a.txt", "x")).rejects.toThrow("refused with 403");
    const other = product.client("other", () => address);
    await other.answerTo(other.say("What is 6 * 7?"));
    expect([visitor.errors.length, visitor.replies().length]).toEqual([1, before]);

    await second.end("SIGKILL");
    const again = await product.start(backbone === "embedded" ? "start" : "gateway");
    await again.ready();
    address = again.address;
    visitor.say("And now?");
    await other.answerTo(other.say("What is 7 * 7?"));
    await visitor.until(isAccepted, "the silence");
    expect([visitor.errors.length, visitor.replies().length]).toEqual([1, before]);

    const { ref } = (await admin(again.address, "GET", "blocks")).body.items[0];
    await admin(again.address, "POST", `blocks/${ref}/unblock`, {});
    // A message may be ignored until the signal arrives.
    await visitor.until(() => {
      if (isAccepted()) visitor.say("What is 8 * 8?");
      return visitor.replies().length > before;
    }, "an answer again");
    expect(visitor.replies().at(-1)?.markdown).toContain("64");
    expect(`${first.stdout()}${first.stderr()}`).toContain("account blocked");
  });
});

describe("given an answer that a visitor reports (R4)", () => {
  it("when an operator lists reports, then the text is there only after the visitor includes it", async () => {
    const [mooring] = await deploy("embedded");
    const address = mooring?.address ?? "";
    const visitor = product.client("visitor", address);
    await visitor.answerTo(visitor.say("What is 6 * 7?"));
    const { actions = [] } = await visitor.answerTo(visitor.command("report", "wrong number"));
    const reports = async () => (await admin(address, "GET", "reports")).body.items;
    expect(await reports()).toMatchObject([{ reason: "wrong number", reporter: { accountId: visitor.room } }]);
    expect((await reports())[0]).not.toHaveProperty("text");
    await visitor.answerTo(visitor.command("report", actions[0]?.value ?? ""));
    expect(await reports()).toMatchObject([{ text: expect.stringContaining("42") }]);
  });
});
