import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { HeldUpload } from "../fakes/held-upload.ts";
import { Product } from "./product.ts";
import { RawVisitor } from "./settings/raw-visitor.ts";

beforeAll(requireFreshBuild);

let product: Product;
let one: string;
let two: string;
const visitors: RawVisitor[] = [];
afterEach(async () => {
  for (const visitor of visitors.splice(0)) await visitor.stop();
  await product.dispose();
});

const TOKEN = "kX9vQ2mT7wZ4pR1bN8sD";
const ADDRESS = "198.51.100.9";

/** Two gateways on NATS behind a proxy. */
const start = async (config: object = {}) => {
  product = await Product.create({ backbone: "nats", config });
  const proxied = (port: number) => ({ gateway: { host: "127.0.0.1", port, trustedProxies: ["127.0.0.1"] } });
  const processes = [
    await product.start("gateway", proxied),
    await product.start("gateway", proxied),
    await product.start("core"),
  ];
  await Promise.all(processes.map((each) => each.ready()));
  [one = "", two = ""] = processes.map(({ address }) => address);
};

const status = async (url: string, headers: Record<string, string>) => (await fetch(url, { headers })).status;

/** Repeats a request until its outcome is the expected one, and counts the attempts before. */
const attemptsUntil = async <T>(expected: T, attempt: () => Promise<T>): Promise<number> => {
  let attempts = 0;
  await expect
    .poll(
      async () => {
        attempts++;
        return attempt();
      },
      { interval: 400, timeout: 20_000 },
    )
    .toBe(expected);
  return attempts - 1;
};

describe("given two gateways on NATS", () => {
  it("when an address guesses tokens on one, then it is limited on the other, and an operator who had signed in from there is not (R3)", async () => {
    await start({ admin: { tokens: [{ token: TOKEN, role: "platform_admin" }] } });
    const ask = (gateway: string, token: string, address = ADDRESS) =>
      status(`${gateway}/admin/api/me`, { authorization: `Bearer ${token}`, "x-forwarded-for": address });
    expect(await ask(one, TOKEN)).toBe(200);
    for (let guess = 0; guess < 10; guess++) expect(await ask(one, `guess-${guess}`)).toBe(401);
    // Alone, the second gateway would admit ten guesses of its own.
    expect(await attemptsUntil(429, () => ask(two, "guess"))).toBeLessThan(4);
    expect(await ask(two, TOKEN)).toBe(200);
    expect(await ask(two, TOKEN, "198.51.100.10")).toBe(200);
  });

  it("when an account, a calling agent or a visitor with files uses up a limit on one, then it is used up on the other (R3)", async () => {
    const web = { adapter: "web", access: { messagesPerMinute: 5 }, limits: { storedBytesPerVisitor: 100_000 } };
    await start({
      channels: { web },
      a2a: { callers: { crm: { apiKey: TOKEN, requestsPerMinute: 5 } } },
    });
    const first = await RawVisitor.greet(one, "web");
    visitors.push(first);
    const token = await first.token();
    const second = await RawVisitor.greet(two, "web", { token, name: "other" });
    visitors.push(second);
    for (let message = 0; message < 5; message++) expect(await first.say("hello")).toBe("accepted");
    expect(await attemptsUntil("rate-limited", () => second.say("hello"))).toBeLessThan(4);

    const upload = await HeldUpload.begin({ address: one, token, bytes: 40_000 });
    expect(await upload.finish()).toBe(201);
    await attemptsUntil(429, async () => {
      const again = await HeldUpload.begin({ address: two, token, bytes: 40_000 });
      const outcome = await Promise.race([
        again.refused(),
        new Promise<number>((admit) => setTimeout(admit, 300, 100)),
      ]);
      again.abort();
      return outcome;
    });

    const call = (gateway: string) =>
      status(`${gateway}/a2a/mooring/tasks`, { "x-api-key": TOKEN, "a2a-version": "1.0" });
    for (let request = 0; request < 5; request++) expect(await call(one)).toBe(200);
    expect(await attemptsUntil(429, () => call(two))).toBeLessThan(4);
  });
});
