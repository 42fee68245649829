import { z } from "zod";
import { collection, keyOf } from "../../../core/contract/ports/store.ts";
import { throughput } from "../measure.ts";
import type { Scenario } from "../scenario.ts";
import { bothBackbones } from "./both-backbones.ts";

const notes = collection("bench-notes", z.looseObject({ text: z.string() }));

export const storeThroughput: Scenario = {
  name: "store: put, 100 in flight",
  aim: "≥ 0.7",
  async *prepare(quick) {
    for await (const { name, backbone, floor } of bothBackbones()) {
      const count = quick ? 3_000 : 10_000;
      const value = { text: "a value of a usual size, such as a small record has".repeat(4) };
      yield {
        name: `store: put, 100 in flight (${name})`,
        unit: "per second",
        product: () => throughput(count, 100, (n) => backbone.store.put(keyOf(notes, `k${n}`), value)),
        floor: () => throughput(count, 100, (n) => floor.put(`k${n}`, JSON.stringify(value))),
      };
    }
  },
};
