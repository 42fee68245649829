import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { silentLogger } from "../../core/contract/ports/logger.ts";
import { createMetrics } from "../../gateway/telemetry/create-metrics.ts";
import { metricDefinitions } from "../../gateway/telemetry/metric-definitions.ts";
import { projectRoot } from "../setup/project-files.ts";
import { read } from "./deploy-files.ts";
import { dashboardExpressions, usedMetrics } from "./metric-expressions.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly action: string };
}
const rules = (parse(read("deploy/prometheus/mooring-rules.yaml")) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const dashboard = JSON.parse(read("deploy/grafana/mooring.json"));
const expressions = [...rules.map(({ expr }) => expr), ...dashboardExpressions(dashboard)];

/** Labels that Prometheus adds to each sample of a target. */
const OF_TARGET = ["instance", "job"];

let exposed: ReadonlySet<string>;
beforeAll(async () => {
  const types = (await createMetrics(silentLogger).exposition()).matchAll(/^# TYPE (\w+) (\w+)$/gm);
  exposed = new Set(
    [...types].flatMap(([, name = "", type]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
  );
});

const labelsOf = (metric: string): string[] => {
  const name = metric.replace(/^mooring_/, "");
  const histogram = metricDefinitions[name.replace(/_(bucket|count|sum)$/, "")];
  const { labels = [] } = metricDefinitions[name] ?? histogram ?? {};
  return [...labels, ...OF_TARGET, ...(name.endsWith("_bucket") ? ["le"] : [])];
};

describe("given the expressions of the alert rules and of the dashboard (U4, U5)", () => {
  it("then they are found, and use many metrics", () => {
    expect([rules.length, expressions.length]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(rules.length).toBeGreaterThan(15);
    expect(expressions.length).toBeGreaterThan(40);
    expect(new Set(expressions.flatMap(usedMetrics).map(({ name }) => name)).size).toBeGreaterThan(30);
  });

  it("then every metric is in the product's exposition", () => {
    const names = new Set(expressions.flatMap(usedMetrics).map(({ name }) => name));
    expect([...names].filter((name) => name !== "up" && !exposed.has(name))).toEqual([]);
  });

  it("then every metric has the labels that select, group or name its series", () => {
    const wrong = expressions.flatMap((expression) =>
      usedMetrics(expression).flatMap(({ name, labels }) =>
        labels.filter((label) => !labelsOf(name).includes(label)).map((label) => `${name} has no ${label}`),
      ),
    );
    expect(wrong).toEqual([]);
    for (const { targets = [] } of dashboard.panels as { targets?: { expr: string; legendFormat: string }[] }[]) {
      for (const { expr, legendFormat } of targets) {
        const legend = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label ?? "");
        const grouped = /by \(([^)]*)\)/.exec(expr)?.[1]?.split(", ") ?? OF_TARGET;
        expect(
          legend.filter((label) => !grouped.includes(label)),
          expr,
        ).toEqual([]);
      }
    }
  });

  it("when an expression uses a metric or a label that does not exist, then these checks see it", () => {
    expect(usedMetrics('sum by (chanel) (rate(mooring_gone_total{a="b"}[5m]))')).toEqual([
      { name: "mooring_gone_total", labels: ["a", "chanel"] },
    ]);
    expect(usedMetrics('up{job="mooring"} == 0 or vector(0)')).toEqual([{ name: "up", labels: ["job"] }]);
  });
});

describe("given the alert rules", () => {
  const promtool = (...args: string[]) =>
    spawnSync("promtool", args, { cwd: join(projectRoot, "deploy/prometheus"), encoding: "utf8" });

  it("when promtool checks and tests them, then they are valid and fire when they should (U5)", () => {
    expect(promtool("check", "rules", "mooring-rules.yaml")).toMatchObject({ status: 0 });
    const tested = promtool("test", "rules", "mooring-rules.test.yaml");
    expect([tested.status, tested.stderr]).toEqual([0, ""]);
  });

  it("then each has a test that it fires, a severity, and a row on the page", () => {
    const tests = parse(read("deploy/prometheus/mooring-rules.test.yaml")).tests as {
      alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
    }[];
    const firing = tests.flatMap((test) => test.alert_rule_test).filter((each) => each.exp_alerts.length > 0);
    const names = rules.map(({ alert }) => alert);
    expect(names.filter((name) => !firing.some(({ alertname }) => alertname === name))).toEqual([]);
    expect(rules.filter(({ labels }) => !["critical", "warning"].includes(labels.severity))).toEqual([]);
    const page = read("docs/operations/what-to-watch.md");
    const listed = [...page.matchAll(/^\| `(Mooring\w+)`/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual(names.sort());
  });
});
