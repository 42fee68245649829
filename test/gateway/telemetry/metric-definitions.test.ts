import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { metricDefinitions } from "../../../gateway/telemetry/metric-definitions.ts";
import { projectFiles, projectRoot } from "../../setup/project-files.ts";

const KINDS: Readonly<Record<string, string>> = { count: "counter", observe: "histogram", gauge: "gauge" };

const used = projectFiles()
  .filter((path) => /^(core|adapters|gateway)\/.*\.ts$/.test(path))
  .flatMap((path) => [
    ...readFileSync(`${projectRoot}${path}`, "utf8").matchAll(/\bmeter\??\.(count|observe|gauge)\(\s*"(\w+)"/g),
  ])
  .map(([, method = "", name = ""]) => ({ name, kind: KINDS[method] }));

describe("given the metrics that the code records", () => {
  it("then each is defined with the kind that the code uses", () => {
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter(({ name, kind }) => metricDefinitions[name]?.kind !== kind)).toEqual([]);
  });

  it("then every definition is used, counters are named _total, and only histograms have buckets", () => {
    const names = used.map(({ name }) => name);
    expect(Object.keys(metricDefinitions).filter((name) => !names.includes(name))).toEqual([]);
    for (const [name, { kind, buckets }] of Object.entries(metricDefinitions)) {
      if (kind === "counter") expect(name).toMatch(/_total$/);
      expect(buckets !== undefined, name).toBe(kind === "histogram");
    }
  });
});
