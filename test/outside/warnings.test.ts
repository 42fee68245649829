import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild, startMooring } from "../e2e/mooring-process.ts";
import { Product } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
afterEach(() => product.dispose());

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
const logged = (stderr: string, message: string): Record<string, unknown>[] =>
  stderr
    .split("\n")
    .filter((line) => line.includes(message))
    .map((line) => JSON.parse(line));

describe("given a deployment that is not safe for production", () => {
  it("when it is checked and started, then both say what to change, and neither fails (U1)", async () => {
    product = await Product.create({ backbone: "embedded" });
    const data = join(product.folder, "data");
    await mkdir(data);
    await chmod(data, 0o755);
    await writeFile(join(product.folder, ".env"), "A=b\n", { mode: 0o644 });
    await chmod(join(product.folder, ".env"), 0o644);
    const mooring = await product.start("start", (port) => ({
      gateway: { port, publicUrl: "https://chat.example" },
    }));
    await mooring.ready();
    await mooring.running;
    // No process listens there, because a check starts nothing.
    const open = { host: "0.0.0.0", publicUrl: "https://chat.example" };
    await writeFile(
      join(product.folder, "open.yaml"),
      JSON.stringify({ gateway: open, agents: [{ name: "mooring", model: "demo" }] }),
    );
    const check = startMooring(["check", "--config", "open.yaml"], { cwd: product.folder });
    expect(await check.exited).toEqual({ code: 0, signal: null });
    for (const output of [check.stdout(), mooring.stdout()]) {
      expect(output).toMatch(/warning +demo model: mooring .*configure a model/i);
      expect(output).toMatch(/warning +proxy: .*https:\/\/chat\.example.*gateway\.trustedProxies/i);
      expect(output).toMatch(/warning +data folder: .*chmod 700 \.\/data/i);
      expect(output).toMatch(/warning +secrets: .*chmod 600 \.env/i);
    }
    expect(logged(mooring.stderr(), "deployment warning")).toHaveLength(4);
  });
});

describe("given a proxy on the same machine that is not declared", () => {
  it("when it forwards requests, then one warning says what to set; a declared proxy causes none", async () => {
    product = await Product.create({ backbone: "embedded" });
    const forward = async (trustedProxies: string[]) => {
      const mooring = await product.start("start", (port) => ({ gateway: { port, trustedProxies } }));
      await mooring.ready();
      for (const header of ["x-forwarded-for", "x-real-ip", "forwarded", "via"]) {
        await fetch(`${mooring.address}/health/live`, { headers: { [header]: "198.51.100.9" } });
      }
      await mooring.end();
      return logged(mooring.stderr(), "undeclared proxy");
    };
    expect(await forward([])).toMatchObject([
      { proxy: "127.0.0.1", advice: 'if this proxy is yours, set gateway.trustedProxies to ["127.0.0.1"]' },
    ]);
    expect(await forward(["127.0.0.1"])).toEqual([]);
  });
});

describe("given a first start", () => {
  it("when the data folder is created, then only its owner can read it and its files, and nothing warns", async () => {
    product = await Product.create({ backbone: "embedded" });
    const mooring = await product.start("start");
    await mooring.ready();
    await mooring.running;
    const data = join(product.folder, "data");
    expect(await modeOf(data)).toBe("700");
    const files = await readdir(data);
    expect(files).toContain("mooring.db");
    expect(await Promise.all(files.map((file) => modeOf(join(data, file))))).toEqual(files.map(() => "600"));
    expect(mooring.stdout()).not.toMatch(/warning/i);
  });
});
