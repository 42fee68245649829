import { describe, expect, it } from "vitest";
import { prefixOf } from "../../../../../core/contract/ports/store.ts";
import { NatsCluster } from "../../../../fakes/nats-cluster.ts";
import { cleanup } from "../rig/cleanup.ts";
import { sampleKey, things } from "../rig/samples.ts";

const start = cleanup();
const ENTRIES = 1_000;
const LISTS_AT_ONCE = 3;

describe("given a cluster node that was down while entries were written (F34)", () => {
  it("when entries are listed while it catches up, then each list is complete", async () => {
    const cluster = await NatsCluster.start();
    try {
      const { store } = await start.backbone({ servers: cluster.urls, replicas: 3, leaseMs: 5_000 });
      const list = async () => {
        let found = 0;
        for await (const _ of store.list(prefixOf(things("strict")))) found++;
        return found;
      };
      await store.put(sampleKey("first"), { n: 0 });
      const leaders = [await cluster.leaderOf("meta"), await cluster.leaderOf({ stream: "KV_mooring_things" })];
      const follower = [0, 1, 2].find((node) => !leaders.includes(node)) ?? 0;
      await cluster.kill(follower);
      const numbers = Array.from({ length: ENTRIES }, (_, n) => n);
      for (let n = 0; n < ENTRIES; n += 50) {
        await Promise.all(numbers.slice(n, n + 50).map((each) => store.put(sampleKey(`t${each}`), { n: each })));
      }
      await cluster.restart(follower);
      let isBehind = true;
      const caughtUp = cluster.whenCaughtUp(follower).finally(() => {
        isBehind = false;
      });
      const counts = new Set<number>();
      while (isBehind)
        for (const count of await Promise.all(Array.from({ length: LISTS_AT_ONCE }, list))) counts.add(count);
      await caughtUp;
      expect([...counts]).toEqual([ENTRIES + 1]);
    } finally {
      await cluster.stop();
    }
  });
});
