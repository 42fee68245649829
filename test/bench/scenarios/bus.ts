import type { Bus } from "../../../core/contract/ports/bus.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import { testSubject } from "../../contract/test-message.ts";
import { roundTrip } from "../floors/floor.ts";
import type { Comparison } from "../measure.ts";
import { loopLatency, throughput } from "../measure.ts";
import type { Scenario } from "../scenario.ts";
import { bothBackbones } from "./both-backbones.ts";

const KEYS = 200;
/** Warm-up. */
const WARM_UP = 6_000;

/** Published, handled, acknowledged; resolves when the handler has received it. */
const roundTrips = async (bus: Bus) => {
  const subject = testSubject("bench");
  const waiting = new Map<number, () => void>();
  await bus.consume(subject, { durable: "bench", concurrency: 200 }, async ({ n }) => {
    waiting.get(n)?.();
    waiting.delete(n);
    return ack;
  });
  let serial = 0;
  return async (): Promise<void> => {
    const n = ++serial;
    const handled = new Promise<void>((resolve) => waiting.set(n, resolve));
    await bus.publish(subject, { n, text: "hello" }, { id: `m${n}`, key: `k${n % KEYS}` });
    await handled;
  };
};

const scenario = (
  name: string,
  aim: string,
  compare: (trip: () => Promise<void>, floor: () => Promise<void>, quick: boolean) => Omit<Comparison, "name">,
): Scenario => ({
  name,
  aim,
  async *prepare(quick) {
    for await (const { name: on, backbone, floor } of bothBackbones()) {
      const trip = await roundTrips(backbone.bus);
      const bare = () => roundTrip(floor);
      for (const side of [trip, bare]) await throughput(WARM_UP, 100, side);
      yield { name: `${name} (${on})`, ...compare(trip, bare, quick) };
    }
  },
});

export const busThroughput = scenario(
  "bus: publish → handled → acked, 100 in flight",
  "≥ 0.7",
  (trip, floor, quick) => {
    const count = quick ? 3_000 : 10_000;
    return {
      unit: "per second",
      product: () => throughput(count, 100, trip),
      floor: () => throughput(count, 100, floor),
    };
  },
);

export const busLatency = scenario("bus: publish → handled → acked, one at a time", "≤ 1.5", (trip, floor, quick) => {
  const count = quick ? 300 : 1_000;
  return { unit: "ms", product: () => loopLatency(count, 1, trip), floor: () => loopLatency(count, 1, floor) };
});
