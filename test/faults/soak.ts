import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeAccount } from "./account/describe-account.ts";
import { isKill, spelled } from "./plan/fault.ts";
import type { Backbone, Step } from "./plan/plan.ts";
import { planOf } from "./plan/plan.ts";
import { Rig } from "./rig.ts";
import { isGood, type Round, runRound } from "./run-round.ts";

const USAGE = "npm run soak -- --minutes 10 --seed 7 [--backbone embedded|nats] [--kills N] [--round N]";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    backbone: { type: "string", default: "nats" },
    /** In a round, at the most. With none, processes live on, and their memory can be watched. */
    kills: { type: "string", default: "12" },
    /** Begins with this one: to repeat a failure without all that went before it. */
    round: { type: "string", default: "1" },
  },
});
const [minutes, seed, first, mostKills] = [values.minutes, values.seed, values.round, values.kills].map(Number) as [
  number,
  number,
  number,
  number,
];
const { backbone } = values;
const isWhole = (...numbers: number[]) => numbers.every((each) => Number.isInteger(each) && each >= 0);
const isBackbone = (name: string): name is Backbone => name === "embedded" || name === "nats";
if (!isBackbone(backbone) || !(minutes > 0) || !isWhole(seed, first, mostKills)) {
  console.error(`not understood; use: ${USAGE}`);
  process.exit(2);
}

const SIZE = { messages: 80, faults: 20, mostKills };
const faultsIn = (steps: readonly Step[]) => steps.flatMap((step) => (step.do === "fault" ? step.fault : []));

/** What happened, and how to have it happen again. */
const explain = async (round: number, result: Round, rig: Rig, steps: readonly Step[]): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "mooring-soak-"));
  await writeFile(join(folder, "processes.log"), rig.product.logs());
  console.log(["", describeAccount(result.account), ...result.problems].join("\n"));
  console.log(`the faults, in order: ${faultsIn(steps).map(spelled).join("; ")}`);
  console.log(`what the processes said: ${folder}`);
  console.log(
    `to repeat it: npm run soak -- --minutes 1 --seed ${seed} --backbone ${backbone} --kills ${mostKills} --round ${round}`,
  );
};

console.log(
  `backbone ${backbone}, seed ${seed}, ${minutes} minutes; a round is ${SIZE.messages} messages and ${SIZE.faults} faults`,
);
const rig = await Rig.start(backbone);
const endsAt = performance.now() + minutes * 60_000;
const total = { rounds: 0, messages: 0, answers: 0, faults: 0, kills: 0, unknown: 0 };
for (let round = first; performance.now() < endsAt; round++) {
  const steps = planOf(seed * 1_000 + round, { backbone, ...SIZE });
  const result = await runRound(rig, steps);
  const { account } = result;
  const kills = faultsIn(steps).filter(isKill).length;
  total.rounds++;
  total.messages += account.messages;
  total.answers += account.answers;
  total.faults += result.faults;
  total.kills += kills;
  total.unknown += account.unknown.length;
  console.log(
    `round ${round}: ${account.messages} messages, ${result.faults} faults (${kills} kills), ${account.unknown.length} unknown; ${rig.product.memory()}`,
  );
  if (!isGood(result)) {
    await explain(round, result, rig, steps);
    process.exitCode = 1;
    break;
  }
}
await rig.dispose();
const { rounds, messages, answers, faults, kills, unknown } = total;
console.log(`${rounds} rounds, ${messages} messages, ${answers} answers, ${faults} faults, ${kills} kills`);
console.log(
  process.exitCode === 1
    ? "something is wrong: see above"
    : `lost 0, duplicated 0, out of order 0, wrongly shown 0, unknown ${unknown} (each of them a dead letter that operators see)`,
);
