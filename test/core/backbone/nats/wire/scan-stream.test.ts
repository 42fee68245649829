import { afterAll, beforeAll, expect, it } from "vitest";
import { natsOptions } from "../../../../../core/backbone/nats/connection/nats-options.ts";
import { dialNats, type NatsSession } from "../../../../../core/backbone/nats/connection/nats-session.ts";
import { scanStream } from "../../../../../core/backbone/nats/wire/scan-stream.ts";
import { NatsServer } from "../../../../fakes/nats-server.ts";

let server: NatsServer;
let session: NatsSession;
beforeAll(async () => {
  server = await NatsServer.start();
  session = await dialNats(natsOptions({ servers: [server.url] }));
});
afterAll(async () => {
  await session.nc.close();
  await server.stop();
});

it("given entries that are overwritten all the time, when they are scanned, then each is found and the scan ends", async () => {
  const KEYS = Array.from({ length: 20 }, (_, index) => `beats.${index}`);
  await session.jsm.streams.add({ name: "beats", subjects: ["beats.*"], max_msgs_per_subject: 1 });
  const beat = () => Promise.all(KEYS.map((key) => session.js.publish(key, "beat")));
  await beat();
  let scanning = true;
  const beating = (async () => {
    while (scanning) await beat();
  })();
  for (let scan = 0; scan < 100; scan++) {
    const found = new Set<string>();
    await scanStream(session, "beats", "beats.*", false, ({ subject }) => void found.add(subject));
    expect([...found].sort()).toEqual([...KEYS].sort());
  }
  scanning = false;
  await beating;
});
