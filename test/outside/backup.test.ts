import { createHmac } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
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

const AGENTS = [{ name: "mooring", model: "demo" }];
const config = { channels: { web: { adapter: "web", identityKey: IDENTITY_KEY } } };

const mooring = (...args: string[]) => mooringWith("start-1.yaml", ...args);

const mooringWith = async (file: string, ...args: string[]) => {
  const run = startMooring([...args, "--config", file], { cwd: product.folder });
  const { code } = await run.exited;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
};

const migrate = async (from: string, to: string, ...flags: string[]) => {
  const run = startMooring(["migrate", "--config", from, "--to", to, ...flags], { cwd: product.folder });
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

/** The settings of a deployment with other data than the first process. */
const elsewhere = () => {
  const { backbone } = JSON.parse(readFileSync(join(product.folder, "start-1.yaml"), "utf8"));
  return backbone === "embedded"
    ? { dataDir: "./elsewhere" }
    : { backbone: { nats: { ...backbone.nats, prefix: "elsewhere" } } };
};

const saidBy = ({ log }: WebClient): string[] => log.flatMap(({ type, id }) => (type === "said" ? [id] : []));

const RUNNING = { embedded: "in use by process", nats: "stop them first" };

describe.each(["embedded", "nats"] as const)("given the product under load on the %s backbone", (backbone) => {
  it("when it is backed up and the copy is restored elsewhere, then each message accepted before is there and answered once (U2, U5)", async () => {
    product = await Product.create({ backbone, config });
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
      stderr: expect.stringContaining(RUNNING[backbone]),
    });
    expect(during.some((count, n) => count > (accepted[n]?.length ?? 0))).toBe(true);
    expect(await running.end()).toEqual({ code: 0, signal: null });

    expect(await mooring("restore", "copy.db")).toMatchObject({ code: 1, stderr: expect.stringContaining("--force") });
    const other = { ...config, agents: AGENTS, ...elsewhere() };
    writeFileSync(join(product.folder, "elsewhere.yaml"), JSON.stringify(other));
    expect(await mooringWith("elsewhere.yaml", "restore", "copy.db")).toMatchObject({ code: 0, stderr: "" });
    const restored = await product.start("start", elsewhere());
    await restored.ready();
    const again = names.map((name) => product.client(`${name}-again`, restored.address, tokenOf(name)));
    for (const [n, visitor] of again.entries()) {
      for (const id of accepted[n] ?? []) await visitor.answerTo(id);
      await visitor.answerTo(visitor.say("still there?"));
      const known = [...(accepted[n] ?? []), ...visitor.sent];
      expect(saidBy(visitor).filter((id) => known.includes(id))).toEqual(known);
      // A message that was not accepted yet may be in the copy without its entry in the log.
      const answered = visitor.replies().map(({ correlationId }) => correlationId ?? "");
      expect(new Set(answered).size).toBe(answered.length);
      expect(answered.filter((id) => known.includes(id))).toEqual(known);
    }
    expect(await restored.end()).toEqual({ code: 0, signal: null });

    expect(await mooring("restore", "copy.db", "--force")).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("given the product on the embedded backbone", () => {
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
      await run.exited;
      // Killed after it had named the file: the file must be complete.
      if (existsSync(join(product.folder, "copy.db"))) {
        const file = `elsewhere-${n}.yaml`;
        writeFileSync(
          join(product.folder, file),
          JSON.stringify({ ...config, agents: AGENTS, dataDir: `./other-${n}` }),
        );
        const restored = startMooring(["restore", "copy.db", "--config", file], { cwd: product.folder });
        expect([(await restored.exited).code, restored.stderr()]).toEqual([0, ""]);
        rmSync(join(product.folder, "copy.db"));
      }
    }
    expect(await mooring("backup", "copy.db", "--force")).toMatchObject({ code: 0, stderr: "" });
    expect(partials()).toEqual([]);
  });
});

describe("given a deployment that moves to another backbone", () => {
  it("when it moves to NATS and back, then conversations move with it (U5)", async () => {
    product = await Product.create({ backbone: "nats", config });
    const embedded = { backbone: "embedded", dataDir: "./own-data" };
    const first = await product.start("start", embedded);
    await first.ready();
    const visitor = product.client("visitor", first.address, tokenOf("person"));
    await visitor.answerTo(visitor.say("hello"));
    const nowhere = await migrate("start-1.yaml", "start-1.yaml");
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining("another backbone")]);
    expect(await first.end()).toEqual({ code: 0, signal: null });

    const second = await product.start("start");
    await second.ready();
    expect(await second.end()).toEqual({ code: 0, signal: null });
    const there = await migrate("start-1.yaml", "start-2.yaml");
    expect([there.code, there.stderr]).toEqual([1, expect.stringContaining("--force")]);
    expect(await migrate("start-1.yaml", "start-2.yaml", "--force")).toMatchObject({ code: 0, stderr: "" });
    const third = await product.start("start");
    await third.ready();
    const again = product.client("again", third.address, tokenOf("person"));
    await again.until(() => visitor.sent.every((id) => saidBy(again).includes(id)), "the conversation on NATS");
    await again.answerTo(again.say("and on"));
    expect(await third.end()).toEqual({ code: 0, signal: null });

    expect(await migrate("start-3.yaml", "start-1.yaml", "--force")).toMatchObject({ code: 0, stderr: "" });
    const fourth = await product.start("start", embedded);
    await fourth.ready();
    const home = product.client("home", fourth.address, tokenOf("person"));
    const sent = [...visitor.sent, ...again.sent];
    await home.until(() => sent.every((id) => saidBy(home).includes(id)), "the conversation back in its file");
  });
});
