import { afterAll, beforeAll } from "vitest";
import { NatsServer } from "../../fakes/nats-server.ts";
import { digestDeaths } from "./digest-deaths.ts";

let server: NatsServer;
let places = 0;
beforeAll(async () => {
  server = await NatsServer.start();
});
afterAll(() => server.stop());

digestDeaths("NATS", async () => ({
  backbone: {
    kind: "nats",
    servers: [server.url],
    prefix: `place-${++places}`,
    leaseMs: 1_000,
    partitions: 4,
    failurePauseMs: 5,
  },
  dispose: async () => undefined,
}));
