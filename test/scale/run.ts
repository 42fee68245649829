import { parseArgs } from "node:util";
import { measureIdle } from "./measure-idle.ts";
import { playFaults } from "./play-faults.ts";
import { CHANGES, playStep, stepsOf } from "./play-steps.ts";
import { simulate } from "./simulate.ts";
import type { Version } from "./simulated-process.ts";

/** Simulates the lease and partition protocol at the size of a large deployment, and prints the observations. */
const { values } = parseArgs({
  options: {
    processes: { type: "string", default: "100" },
    partitions: { type: "string", default: "256" },
    seed: { type: "string", default: "1" },
    /** Plays this many courses of faults instead, from the seed on. */
    faults: { type: "string" },
    /** Plays each change of the members with each single fault instead. */
    steps: { type: "boolean", default: false },
    /** With processes of version 0.2 among them, in both. */
    mixed: { type: "boolean", default: false },
    /** With raises of the number of partitions, in the courses of faults. */
    raised: { type: "boolean", default: false },
    /** Plays only this change with `--steps`. */
    change: { type: "string" },
    /** Only joins, and measures the traffic without changes of the members. */
    idle: { type: "boolean", default: false },
    /** The version of the processes with `--idle`: "current" or "0.2". */
    version: { type: "string", default: "current" },
  },
});

if (values.steps) {
  let failed = 0;
  const versions = values.mixed ? (["0.2", "current", "0.2"] as const) : undefined;
  for (const change of CHANGES.filter((change) => change === (values.change ?? change))) {
    const steps = await stepsOf(change, versions);
    for (const step of steps) {
      const { misread, violations, published, handled } = await playStep(change, step, versions);
      if (misread.length + violations.length === 0 && handled === published) continue;
      failed++;
      console.log(JSON.stringify({ change, step, misread, violations: violations.slice(0, 3), published, handled }));
    }
    console.log(`${change}: ${steps.length} single faults played, ${failed} failed so far`);
  }
  process.exit(failed === 0 ? 0 : 1);
}

if (values.faults !== undefined) {
  let failed = 0;
  const first = Number(values.seed);
  const sizes = new Map<number, number>();
  for (let seed = first; seed < first + Number(values.faults); seed++) {
    if (seed > first && (seed - first) % 500 === 0) console.log(`${seed - first} courses played, ${failed} failed`);
    const { mixed, raised } = values;
    const { misread, violations, published, handled, partitions } = await playFaults(seed, { mixed, raised });
    sizes.set(partitions, (sizes.get(partitions) ?? 0) + 1);
    if (misread.length + violations.length === 0 && handled === published) continue;
    failed++;
    console.log(JSON.stringify({ seed, misread, violations: violations.slice(0, 3), published, handled }));
  }
  console.log(
    `${failed} of ${values.faults} courses failed; courses by partitions at the end: ${JSON.stringify([...sizes])}`,
  );
  process.exit(failed === 0 ? 0 : 1);
}

if (values.idle) {
  const idle = await measureIdle(Number(values.processes), Number(values.partitions), values.version as Version);
  console.log(JSON.stringify(idle, null, 2));
  process.exit(idle.misread === 0 ? 0 : 1);
}

const startedAt = performance.now();
const observed = await simulate({
  seed: Number(values.seed),
  processes: Number(values.processes),
  partitions: Number(values.partitions),
  leaseMs: 10_000,
  ofEach: 1,
  atOnce: Math.ceil(Number(values.processes) / 10),
  messagesPerSecond: 100,
});
console.log(JSON.stringify(observed, null, 2));
console.log(`took ${Math.round((performance.now() - startedAt) / 1_000)} s`);
process.exit(observed.violations.length + observed.orphans + observed.published - observed.handled === 0 ? 0 : 1);
