import { describe, expect, it } from "vitest";
import { NatsConfig } from "../../core/backbone/config.ts";
import { leaseHolder } from "../../gateway/start-channels.ts";

const idsFrom = (first: number) => () => `id-${first++}`;

describe("given a channel with an exclusive connection", () => {
  it("when a gateway on the embedded backbone is replaced, then the next one has the same name and need not wait for the lease", () => {
    expect(leaseHolder("embedded", idsFrom(1)).instance).toBe(leaseHolder("embedded", idsFrom(2)).instance);
  });

  it("when gateways share NATS, then each has its own name and the configured lease duration", () => {
    const nats = NatsConfig.parse({ servers: ["nats://127.0.0.1:4222"], leaseMs: 2_000 });
    expect(leaseHolder({ nats }, idsFrom(1))).toEqual({ instance: "id-1", leaseMs: 2_000 });
    expect(leaseHolder({ nats }, idsFrom(2)).instance).toBe("id-2");
  });
});
