import { createHmac } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild, startMooring } from "../e2e/mooring-process.ts";
import type { WebClient } from "../fakes/web-client.ts";
import { Product } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
afterEach(() => product.dispose());

const VISITORS = 16;
const KILLS = process.env.MOORING_SOAK ? 20 : 3;
const IDENTITY_KEY = "a key that the page and the gateway share";
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The identity token of the page: the same visitor before and after. */
const tokenOf = (name: string): string => {
  const claims = `${base64({ alg: "HS256" })}.${base64({ sub: name, exp: 4_000_000_000 })}`;
  return `${claims}.${createHmac("sha256", IDENTITY_KEY).update(claims).digest("base64url")}`;
};

const config = { channels: { web: { adapter: "web", identityKey: IDENTITY_KEY } } };

const mooring = async (...args: string[]) => {
  const run = startMooring([...args, "--config", "start-1.yaml"], { cwd: product.folder });
  const { code } = await run.exited;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
};

/** Each visitor sends its next message as soon as the last is accepted, until it is stopped. */
const keepWriting = (visitors: readonly WebClient[]): (() => Promise<void>) => {
  let stopped = false;
  const writers = visitors.map(async (visitor) => {
    while (!stopped) {
      const id = visitor.say(`hello ${visitor.sent.length}`);
      await visitor.until(() => visitor.accepted.includes(id), `${id} to be accepted`);
      await delay(100);
    }
  });
  return async () => {
    stopped = true;
    await Promise.all(writers);
  };
};

const saidBy = ({ log }: WebClient): string[] => log.flatMap(({ type, id }) => (type === "said" ? [id] : []));

describe("given the product under load on the embedded backbone", () => {
  it("when it is backed up and the copy is restored elsewhere, then all messages accepted before are there (U2, U5)", async () => {
    product = await Product.create({ backbone: "embedded", config });
    const running = await product.start("start");
    await running.ready();
    const names = Array.from({ length: VISITORS }, (_, n) => `person-${n}`);
    const visitors = names.map((name) => product.client(name, running.address, tokenOf(name)));
    const stopWriting = keepWriting(visitors);
    await Promise.all(visitors.map((visitor) => visitor.until(() => visitor.accepted.length >= 2, "two accepted")));

    const accepted = visitors.map((visitor) => [...visitor.accepted]);
    const backup = await mooring("backup", "copy.db");
    const during = visitors.map((visitor) => visitor.accepted.length);
    await stopWriting();
    expect(backup).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("admin-token") });
    expect(statSync(join(product.folder, "copy.db")).mode & 0o777).toBe(0o600);
    expect(await mooring("backup", "copy.db")).toMatchObject({ code: 1, stderr: expect.stringContaining("--force") });
    expect(await mooring("restore", "copy.db", "--force")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`in use by process ${running.pid}`),
    });
    expect(during.some((count, n) => count > (accepted[n]?.length ?? 0))).toBe(true);
    expect(await running.end()).toEqual({ code: 0, signal: null });

    expect(await mooring("restore", "copy.db")).toMatchObject({ code: 1, stderr: expect.stringContaining("--force") });
    expect(await mooring("restore", "copy.db", "--force")).toMatchObject({ code: 0, stderr: "" });
    const restored = await product.start("start");
    await restored.ready();
    const again = names.map((name) => product.client(`${name}-again`, restored.address, tokenOf(name)));
    for (const [n, visitor] of again.entries()) {
      const known = accepted[n] ?? [];
      await visitor.until(() => known.every((id) => saidBy(visitor).includes(id)), `${known.join(", ")} after restore`);
    }
    const [first] = again;
    expect((await first?.answerTo(first.say("still there?")))?.markdown).toContain("still there?");
  });

  it("when a backup is killed at any moment, then no partial file is left, and the next one succeeds (U5)", async () => {
    product = await Product.create({ backbone: "embedded", config });
    const running = await product.start("start");
    await running.ready();
    const visitor = product.client("visitor", running.address, tokenOf("person"));
    for (let n = 0; n < 10; n++) visitor.say("x".repeat(30_000));
    await visitor.until(() => visitor.accepted.length === 10, "ten accepted");
    const partials = () => readdirSync(product.folder).filter((name) => name.startsWith("copy.db.partial"));
    for (let n = 0; n < KILLS; n++) {
      const run = startMooring(["backup", "copy.db", "--config", "start-1.yaml"], { cwd: product.folder });
      while (partials().length === 0 && !existsSync(join(product.folder, "copy.db"))) await delay(1);
      run.kill("SIGKILL");
      const { code } = await run.exited;
      if (code === 0) await mooring("backup", "copy.db", "--force");
      else expect(existsSync(join(product.folder, "copy.db"))).toBe(false);
    }
    expect(await mooring("backup", "copy.db", "--force")).toMatchObject({ code: 0, stderr: "" });
    expect(partials()).toEqual([]);
  });
});

describe("given the nats backbone", () => {
  it("when a backup is requested, then the error says how to back up JetStream (U5)", async () => {
    product = await Product.create({ backbone: "nats" });
    await (await product.start("core")).end("SIGKILL");
    const run = startMooring(["backup", "copy.db", "--config", "core-1.yaml"], { cwd: product.folder });
    expect((await run.exited).code).toBe(1);
    expect(run.stderr()).toContain("nats account backup");
  });
});
