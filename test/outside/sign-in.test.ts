import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { Product, type StartedProcess } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
afterEach(() => product.dispose());

const TOKEN = "kX9vQ2mT7wZ4pR1bN8sD";
const DIGEST_OF_NOTHING = `sha256:${createHash("sha256").digest("hex")}`;
const operatorWith = (token: string) => ({ admin: { tokens: [{ token, role: "platform_admin" }] } });
const askAs = (mooring: StartedProcess, token: string, address: string) =>
  fetch(`${mooring.address}/admin/api/me`, {
    headers: { authorization: `Bearer ${token}`, "x-forwarded-for": address },
  });

describe("given the digest of an empty text as an operator's token", () => {
  it("when Mooring starts, then it refuses the configuration and says where and why (R3)", async () => {
    product = await Product.create({ backbone: "embedded", config: operatorWith(DIGEST_OF_NOTHING) });
    const mooring = await product.start("start");
    const ended = await Promise.race([mooring.exited, mooring.ready()]);
    const admitted = ended === undefined && (await fetch(`${mooring.address}/admin/api/me`)).status;
    expect([admitted, ended]).toEqual([false, { code: 1, signal: null }]);
    expect(mooring.stderr()).toContain("admin.tokens[0].token");
    expect(mooring.stderr()).toContain("digest of an empty value");
  });

  it("when the documented command runs without the variable, then it fails and prints no digest (U1)", async () => {
    product = await Product.create({ backbone: "embedded" });
    const docs = ["security", "a2a"].map((page) => readFileSync(`docs/${page}.md`, "utf8")).join("\n");
    const [command = ""] = /^.*sha256sum.*$/m.exec(docs) ?? [];
    const run = (env: Record<string, string>) =>
      spawnSync("sh", ["-c", command.replaceAll("`", "")], {
        env: { PATH: process.env.PATH, ...env },
        encoding: "utf8",
      });
    const unset = run({});
    expect([unset.status === 0, unset.stdout]).toEqual([false, ""]);
    expect(run({ TOKEN }).stdout).toContain(createHash("sha256").update(TOKEN).digest("hex"));
  });
});

describe("given an address that guesses the key of a calling agent", () => {
  it("when it has guessed 150 times, then it is rate limited, and the caller is answered from another address (R3)", async () => {
    const config = { a2a: { callers: { crm: { apiKey: TOKEN } } } };
    product = await Product.create({ backbone: "embedded", config });
    const mooring = await product.start("start");
    await mooring.ready();
    const ask = (key: string, headers = {}) =>
      fetch(`${mooring.address}/a2a/mooring/tasks`, {
        headers: { "x-api-key": key, "a2a-version": "1.0", ...headers },
      });
    const forwarded = { "x-forwarded-for": "198.51.100.9" };
    const statuses = await Promise.all(
      Array.from({ length: 150 }, async (_, n) => (await ask(`guess-${n}`, forwarded)).status),
    );
    expect(statuses.filter((status) => status === 401).length).toBeLessThan(110);
    expect((await ask("guess", forwarded)).status).toBe(429);
    expect((await ask(TOKEN)).status).toBe(200);
  });
});

describe("given an address that guesses operator tokens", () => {
  it("when it has guessed 500 times, then it is rate limited, counted and logged once; others sign in (R3)", async () => {
    const digest = `sha256:${createHash("sha256").update(TOKEN).digest("hex")}`;
    product = await Product.create({ backbone: "embedded", config: operatorWith(digest) });
    const mooring = await product.start("start");
    await mooring.ready();
    // Loopback through an undeclared proxy is one address with ten times the allowance.
    const statuses: number[] = [];
    for (let n = 0; n < 500; n += 50) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) => askAs(mooring, `guess-${n + i}`, "1.1.1.1")),
      );
      statuses.push(...answers.map(({ status }) => status));
      if (n === 450) expect(Number(answers.at(-1)?.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    const wrong = statuses.filter((status) => status === 401).length;
    expect([wrong < 150, wrong + statuses.filter((status) => status === 429).length]).toEqual([true, 500]);
    const direct = await fetch(`${mooring.address}/admin/api/me`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(direct.status).toBe(200);
    const metrics = await (await fetch(`${mooring.address}/metrics`)).text();
    expect(metrics).toContain(`mooring_sign_ins_failed_total{entrance="admin",outcome="wrong"} ${wrong}`);
    await mooring.end();
    const lines = mooring
      .stderr()
      .split("\n")
      .filter((line) => line.includes("sign-ins failed"));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ wrong, blocked: 500 - wrong }]);
    expect(mooring.stderr()).not.toContain("guess-");
  });
});
