import { expect, it } from "vitest";
import { WebAdapter } from "../../../../adapters/web/adapter.ts";
import { WebConfig } from "../../../../adapters/web/config.ts";
import { AppError } from "../../../../core/contract/app-error.ts";
import { alwaysWritable } from "../../../../core/contract/ports/backbone.ts";
import { silentLogger } from "../../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../../core/contract/ports/telemetry.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { MemoryStore } from "../memory-store.ts";

it("given a store that failed at the first start, when the gateway retries the start, then browsers can connect", async () => {
  const clock = new ManualClock();
  const store = new MemoryStore(clock);
  const publicUrl = "http://localhost:8080";
  const adapter = new WebAdapter(WebConfig.parse({ adapter: "web" }), {
    ...{ channel: "web", tenant: "default", agent: "mooring", publicUrl, store, clock },
    ...{
      logger: silentLogger,
      meter: silentMeter,
      signal: () => undefined,
      writes: alwaysWritable,
      commands: [],
      sessionOf: async () => "s1",
      newId: () => "id",
    },
  });
  const inbox = { accept: async () => undefined };
  const browser = { origin: publicUrl, remoteAddress: "127.0.0.1", protocols: ["mooring.v1"] };

  store.before = () => {
    throw new AppError("unavailable", "away");
  };
  await expect(adapter.start(inbox)).rejects.toThrow("away");
  await adapter.stop();
  expect(adapter.admit(browser)?.status).toBe(503);

  store.before = () => undefined;
  await adapter.start(inbox);
  expect(adapter.admit(browser)).toBeUndefined();
  await adapter.stop();
  expect(clock.pending).toBe(0);
});
