import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dashboardExpressions } from "../deploy/metric-expressions.ts";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { freePort } from "../setup/free-port.ts";
import { projectRoot } from "../setup/project-files.ts";
import { Product, type StartedProcess } from "./product.ts";

const TOKEN = "hB5nY8rC3dL6gJ0fW2tE";
let product: Product;
let mooring: StartedProcess;
let prometheus: ChildProcess;
let api: string;

const shipped = (file: string) => readFile(join(projectRoot, file), "utf8");

beforeAll(async () => {
  await requireFreshBuild();
  product = await Product.create({ backbone: "embedded", config: { metrics: { token: TOKEN } } });
  // A public address, so that the local Prometheus needs the token as one on another machine does.
  mooring = await product.start("start", (port) => ({
    gateway: { port, publicUrl: "http://chat.example" },
    channels: { web: { adapter: "web", allowedOrigins: [`http://127.0.0.1:${port}`] } },
  }));
  await mooring.ready();
  const visitor = product.client("visitor", mooring.address);
  await visitor.answerTo(visitor.say("What is 6 * 7?"));
  await writeFile(join(product.folder, "token"), TOKEN);
  const config = (await shipped("deploy/prometheus/prometheus.yaml"))
    .replace('"gateway-1:8080", "core-1:8081"', `"127.0.0.1:${mooring.port}"`)
    .replace("/etc/prometheus/mooring-token", join(product.folder, "token"))
    .replace("/etc/prometheus/mooring-rules.yaml", join(projectRoot, "deploy/prometheus/mooring-rules.yaml"))
    .replace("scrape_interval: 15s", "scrape_interval: 200ms");
  await writeFile(join(product.folder, "prometheus.yml"), `global: { evaluation_interval: 200ms }\n${config}`);
  const port = await freePort();
  api = `http://127.0.0.1:${port}/api/v1`;
  const options = [`--web.listen-address=127.0.0.1:${port}`, `--storage.tsdb.path=${join(product.folder, "tsdb")}`];
  prometheus = spawn("prometheus", [`--config.file=${join(product.folder, "prometheus.yml")}`, ...options], {
    stdio: "ignore",
    cwd: product.folder,
  });
});
afterAll(async () => {
  const ended = prometheus?.exitCode === null ? once(prometheus, "exit") : undefined;
  prometheus?.kill("SIGKILL");
  await ended;
  await product?.dispose();
});

const query = async (expression: string): Promise<{ status: string; result: { value: [number, string] }[] }> => {
  const response = await fetch(`${api}/query?query=${encodeURIComponent(expression)}`);
  const { status, data } = (await response.json()) as {
    status: string;
    data?: { result: { value: [number, string] }[] };
  };
  return { status, result: data?.result ?? [] };
};

/** Until Prometheus runs and has scraped. */
const firstValue = async (expression: string): Promise<string> => {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await delay(50)) {
    const value = await query(expression)
      .then(({ result }) => result[0]?.value[1])
      .catch(() => undefined);
    if (value !== undefined) return value;
  }
  throw new Error(`Prometheus has no value for ${expression}`);
};

describe("given a real Prometheus with the shipped scrape job, token and rules (U4, U5)", () => {
  it("when it scrapes, then the process is up and ready, and the message and its turn are counted", async () => {
    expect(await firstValue('mooring_turns_total{job="mooring",outcome="answered"}')).toBe("1");
    expect(await firstValue("mooring_ready")).toBe("1");
    expect(await firstValue('up{job="mooring"}')).toBe("1");
    expect(await firstValue('mooring_messages_accepted_total{channel="web"}')).toBe("1");
  });

  it("when it evaluates the rules, then all are healthy and none fires", async () => {
    let rules: { health: string; name: string; state: string }[] = [];
    // A rule is "unknown" before its first evaluation.
    do {
      const { data } = (await (await fetch(`${api}/rules`)).json()) as { data: { groups: { rules: typeof rules }[] } };
      rules = data.groups.flatMap((group) => group.rules);
      await delay(20);
    } while (rules.some(({ health }) => health === "unknown"));
    expect(rules.length).toBeGreaterThan(15);
    expect(rules.filter(({ health, state }) => health !== "ok" || state === "firing")).toEqual([]);
  });

  it("when it runs the expressions of the dashboard, then each is valid", async () => {
    const dashboard = JSON.parse(await shipped("deploy/grafana/mooring.json"));
    const invalid: string[] = [];
    for (const expression of dashboardExpressions(dashboard)) {
      // Grafana replaces its variables.
      const plain = expression.replaceAll("$instance", ".*").replaceAll("$__rate_interval", "1m");
      if ((await query(plain)).status !== "success") invalid.push(expression);
    }
    expect(invalid).toEqual([]);
  });
});
