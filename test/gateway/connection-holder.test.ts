import { describe, expect, it } from "vitest";
import { NatsConfig } from "../../core/backbone/config.ts";
import { connectionHolder } from "../../gateway/start-channels.ts";

const idsFrom = (first: number) => () => `id-${first++}`;

describe("given a channel that takes one connection", () => {
  it("when a gateway on the embedded backbone is replaced, then the next one has its name and waits for no lease", () => {
    expect(connectionHolder("embedded", idsFrom(1)).instance).toBe(connectionHolder("embedded", idsFrom(2)).instance);
  });

  it("when gateways share NATS, then each has its own name, and the configured lease says when one is replaced", () => {
    const nats = NatsConfig.parse({ servers: ["nats://127.0.0.1:4222"], leaseMs: 2_000 });
    expect(connectionHolder({ nats }, idsFrom(1))).toEqual({ instance: "id-1", leaseMs: 2_000 });
    expect(connectionHolder({ nats }, idsFrom(2)).instance).toBe("id-2");
  });
});
