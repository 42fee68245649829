import { describe, expect, it } from "vitest";
import { simulate } from "./simulate.ts";

/** `npm run scale` plays the same with a hundred processes. */
const scale = { processes: 8, partitions: 32, leaseMs: 3_000, ofEach: 1, atOnce: 2, messagesPerSecond: 50 };

describe("given processes that share partitions on a simulated server", () => {
  it.each([1, 2, 3])(
    "when they join, leave, crash and are suspended (seed %i), then each partition has one owner",
    async (seed) => {
      const { violations, orphans, published, handled, moves, atRest } = await simulate({ ...scale, seed });
      expect(violations).toEqual([]);
      expect(orphans).toBe(0);
      expect(handled).toBe(published);
      // At most each partition once for each process that joined or left; a suspension counts as both.
      for (const change of ["join", "leave", "crash"] as const) expect(moves[change].counted).toBeLessThan(32);
      expect(moves.pause.counted).toBeLessThan(64);
      // Three times in a lease each process writes its beat, which no other one receives, and compares its two watches with
      // the server. About once in a lease it reads the beats of three others. Idle consumers send heartbeats. There is no
      // other traffic.
      const kinds = ["ack", "answer to a read", "delivery", "heartbeat", "publish", "read", "stream info", "write"];
      expect(Object.keys(atRest).sort()).toEqual(kinds);
      expect(atRest["stream info"]).toBeLessThanOrEqual(20);
      expect(atRest.heartbeat).toBeLessThanOrEqual(16);
      expect(atRest.write).toBeGreaterThanOrEqual(7);
      expect(atRest.write).toBeLessThanOrEqual(8);
      expect(atRest.read).toBeLessThanOrEqual(10);
    },
  );
});
