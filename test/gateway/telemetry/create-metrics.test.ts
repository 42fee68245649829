import { describe, expect, it } from "vitest";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { createMetrics } from "../../../gateway/telemetry/create-metrics.ts";

describe("given the meter", () => {
  it("when a name or label is not defined, then that is logged once and nothing is thrown", async () => {
    const problems: unknown[] = [];
    const { meter, exposition } = createMetrics({ ...silentLogger, error: (fields) => void problems.push(fields) });
    meter.count("no_such_total");
    meter.count("no_such_total");
    meter.gauge("http_requests_total", 1);
    meter.count("http_request_seconds", { tenant: "x" });
    expect(problems).toHaveLength(3);
    expect(await exposition()).not.toContain("no_such");
  });

  it("when two meters exist, then they count separately", async () => {
    const [a, b] = [createMetrics(silentLogger), createMetrics(silentLogger)];
    a.meter.count("http_requests_total", { method: "GET", route: "/", status: "200" }, 3);
    expect(await a.exposition()).toContain('mooring_http_requests_total{method="GET",route="/",status="200"} 3');
    expect(await b.exposition()).not.toContain('route="/"');
  });
});
