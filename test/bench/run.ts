import { writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { type Raced, race } from "./answers/race.ts";
import { raceLines } from "./answers/race-lines.ts";
import { circumstances } from "./circumstances.ts";
import type { Measured, Tail } from "./measure.ts";
import { measure } from "./measure.ts";
import type { Result } from "./result-table.ts";
import { ANSWERS } from "./scenarios/answers.ts";
import { scenarios } from "./scenarios.ts";
import { ServerProcess } from "./servers/server-process.ts";
import { writeAnswers, writeRecord } from "./write-record.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    json: { type: "string" },
    record: { type: "boolean", default: false },
    profile: { type: "string" },
  },
});

const figure = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(3));

const tail = (name: string, times: Tail | undefined): string[] =>
  times ? [`${name} ${figure(times.product)} / ${figure(times.floor)}`] : [];

const line = ({ name, unit, product, floor, ratio, cpuRatio, p99, p999, max }: Measured, aim: string): string =>
  [
    name.padEnd(62),
    `${figure(product.median)} ${unit}`.padStart(20),
    `${figure(floor.median)}`.padStart(12),
    `${ratio.toFixed(2)}×`.padStart(8),
    (Number.isFinite(cpuRatio) ? `${cpuRatio.toFixed(2)}×` : "").padStart(8),
    `${figure(product.low)}–${figure(product.high)}`.padStart(18),
    ...tail("p99", p99),
    ...tail("p99.9", p999),
    ...tail("slowest", max),
    `aim ${aim}`,
  ].join("  ");

const { only, quick, record, profile } = values;
ServerProcess.profileDir = profile;
const chosen = scenarios.filter(({ name, soak = false, long = false }) =>
  only === undefined ? !soak && !(quick && long) : only.split("|").some((part) => name.includes(part)),
);
if (chosen.length === 0) {
  console.error(`no scenario is called "${only}"; there are: ${scenarios.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
const isWhole = only === undefined;
if (record && !isWhole && chosen.some(({ name }) => !name.endsWith(ANSWERS))) {
  console.error(`--record keeps a whole run: leave --only out, or select answers alone (--only "${ANSWERS}")`);
  process.exit(2);
}

const here = circumstances();
console.log(Object.values(here).join(" · "));
console.log(
  `${"".padEnd(62)}  ${"product".padStart(20)}  ${"floor".padStart(12)}  ${"ratio".padStart(8)}  ${"of CPU".padStart(8)}`,
);
const results: Result[] = [];
const answers: Raced[] = [];
for (const scenario of chosen) {
  const begun = performance.now();
  for await (const comparison of scenario.prepare(quick)) {
    if ("bots" in comparison) {
      const raced = await race(comparison);
      answers.push(...raced);
      for (const row of raceLines(raced)) console.log(row);
      continue;
    }
    const measured = await measure(comparison, quick ? 3 : 5);
    const { aim = scenario.aim } = comparison;
    results.push({ ...measured, aim });
    console.log(line(measured, aim));
  }
  console.log(`  ${scenario.name}: ${Math.round((performance.now() - begun) / 1_000)} s`);
}
const seconds = Math.round(performance.now() / 1_000);
console.log(`took ${seconds} s`);
const run = { circumstances: here, quick, seconds, loadAfter: `load ${loadavg()[0]?.toFixed(1)}`, results, answers };
if (values.json) await writeFile(values.json, `${JSON.stringify(run, null, 2)}\n`);
if (record && isWhole) await writeRecord(run);
if (record) await writeAnswers(run);
