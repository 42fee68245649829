import { afterEach, beforeAll, describe, expect } from "vitest";
import { requireFreshBuild } from "../../e2e/mooring-process.ts";
import { startStopwatch } from "../../setup/stopwatch.ts";
import { Product } from "../product.ts";
import { proves } from "./proves.ts";

beforeAll(requireFreshBuild);

let product: Product;
afterEach(() => product.dispose());

const LONG_MS = 30_000;

describe("given gateways on NATS that get SIGTERM", () => {
  proves(
    ["gateway.drainMs"],
    "when a supervisor stops one with drain time, then it is not ready and still serves; without it, or at Ctrl-C, it ends at once (F30)",
    async () => {
      product = await Product.create({ backbone: "nats", drainMs: LONG_MS });
      const [draining, interrupted] = [await product.start("start"), await product.start("start")];
      await Promise.all([draining.ready(), interrupted.ready()]);
      const visitor = product.client("visitor", draining.address);
      await visitor.answerTo(visitor.say("before"));
      draining.kill("SIGTERM");
      const ready = async () => (await fetch(`${draining.address}/health/ready`)).json();
      await expect
        .poll(ready)
        .toMatchObject({ ready: false, reasons: [{ part: "process", reason: "stopping" }], degraded: [] });
      expect(draining.stderr()).toContain(`"drainMs":${LONG_MS}`);
      const page = await fetch(`${draining.address}/`);
      expect([page.status, page.headers.get("connection")]).toEqual([200, "close"]);
      await visitor.answerTo(visitor.say("while it drains"));
      const newcomer = product.client("newcomer", draining.address);
      await newcomer.answerTo(newcomer.say("through a proxy that has not noticed"));

      const watch = startStopwatch();
      expect(await interrupted.end("SIGINT")).toEqual({ code: 0, signal: null });
      const { port } = interrupted;
      const other = await product.start("start", { gateway: { host: "127.0.0.1", port, drainMs: 0 } });
      await other.running;
      expect(await other.end()).toEqual({ code: 0, signal: null });
      expect(other.stderr()).not.toContain("drainMs");
      expect(watch.undelayedMs()).toBeLessThan(LONG_MS);
      watch.stop();
    },
  );
});
