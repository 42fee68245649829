import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { circumstances } from "./circumstances.ts";
import type { Measured } from "./measure.ts";
import { measure } from "./measure.ts";
import { scenarios } from "./scenarios.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    json: { type: "string" },
  },
});

const figure = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(3));

const line = (measured: Measured, aim: string): string =>
  [
    measured.name.padEnd(57),
    `${figure(measured.product.median)} ${measured.unit}`.padStart(20),
    `${figure(measured.floor.median)}`.padStart(12),
    `${measured.ratio.toFixed(2)}×`.padStart(8),
    `${measured.cpuRatio.toFixed(2)}×`.padStart(8),
    `${figure(measured.product.low)}–${figure(measured.product.high)}`.padStart(18),
    `aim ${aim}`,
  ].join("  ");

const { only } = values;
const chosen = scenarios.filter(({ name, soak = false }) => (only === undefined ? !soak : name.includes(only)));
if (chosen.length === 0) {
  console.error(`no scenario is called "${only}"; there are: ${scenarios.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

const here = circumstances();
console.log(Object.values(here).join(" · "));
console.log(
  `${"".padEnd(57)}  ${"product".padStart(20)}  ${"floor".padStart(12)}  ${"ratio".padStart(8)}  ${"of CPU".padStart(8)}`,
);
const results: (Measured & { aim: string })[] = [];
for (const scenario of chosen) {
  for await (const comparison of scenario.prepare(values.quick)) {
    const measured = await measure(comparison, values.quick ? 3 : 9);
    results.push({ ...measured, aim: scenario.aim });
    console.log(line(measured, scenario.aim));
  }
}
const seconds = Math.round(performance.now() / 1_000);
console.log(`took ${seconds} s`);
if (values.json)
  await writeFile(values.json, `${JSON.stringify({ ...here, quick: values.quick, seconds, results }, null, 2)}\n`);
