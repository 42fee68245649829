import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { describeAccount } from "./account/describe-account.ts";
import { isKill, spelled } from "./plan/fault.ts";
import { planOf, type Step } from "./plan/plan.ts";
import { Rig } from "./rig.ts";
import { isGood, type Round, runRound } from "./run-round.ts";

const USAGE = "npm run soak -- --minutes 10 --seed 7 [--backbone embedded|nats] [--kills N] [--round N]";

const Options = z.object({
  minutes: z.coerce.number().positive().default(5),
  seed: z.coerce
    .number()
    .int()
    .min(0)
    .default(Date.now() % 1_000_000),
  backbone: z.enum(["embedded", "nats"]).default("nats"),
  /** In a round, at the most. With none, processes live on, and their memory can be watched. */
  kills: z.coerce.number().int().min(0).default(12),
  /** Begins with this one: to repeat a failure without all that went before it. */
  round: z.coerce.number().int().min(1).default(1),
});

const readOptions = (): z.infer<typeof Options> => {
  const text = { type: "string" } as const;
  const names = { minutes: text, seed: text, backbone: text, kills: text, round: text };
  try {
    return Options.parse(parseArgs({ options: names }).values);
  } catch {
    console.error(`not understood; use: ${USAGE}`);
    process.exit(2);
  }
};

const { minutes, seed, backbone, kills: mostKills, round: first } = readOptions();
const SIZE = { messages: 80, faults: 20, mostKills };

const faultsIn = (steps: readonly Step[]) => steps.flatMap((step) => (step.do === "fault" ? step.fault : []));

/** What is wrong, and how to have it happen again. */
const explain = async (round: number, { account, problems }: Round, steps: readonly Step[]): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "mooring-soak-"));
  await writeFile(join(folder, "processes.log"), rig.product.logs());
  const again = `--minutes 1 --seed ${seed} --backbone ${backbone} --kills ${mostKills} --round ${round}`;
  console.log(
    [
      describeAccount(account),
      ...problems,
      `the faults, in order: ${faultsIn(steps).map(spelled).join("; ")}`,
      `what the processes said: ${folder}`,
      `to repeat it: npm run soak -- ${again}`,
    ].join("\n"),
  );
};

console.log(
  `${backbone}, seed ${seed}, ${minutes} minutes; each round ${SIZE.messages} messages, ${SIZE.faults} faults`,
);
const rig = await Rig.start(backbone);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void rig.dispose().then(() => process.exit(130)));
}
const total = { rounds: 0, messages: 0, answers: 0, faults: 0, kills: 0, unknown: 0 };
const endsAt = performance.now() + minutes * 60_000;
for (let round = first; performance.now() < endsAt && process.exitCode === undefined; round++) {
  const steps = planOf(seed * 1_000 + round, { backbone, ...SIZE });
  const result = await runRound(rig, steps);
  const { messages, answers, unknown } = result.account;
  const kills = faultsIn(steps).filter(isKill).length;
  const [faults, memory] = [faultsIn(steps).length, rig.product.memory()];
  console.log(
    `round ${round}: ${messages} messages, ${faults} faults, ${kills} kills, ${unknown.length} unknown; ${memory}`,
  );
  total.rounds++;
  total.messages += messages;
  total.answers += answers;
  total.faults += faults;
  total.kills += kills;
  total.unknown += unknown.length;
  if (isGood(result)) continue;
  process.exitCode = 1;
  await explain(round, result, steps);
}
await rig.dispose();
const counts = Object.entries(total).map(([what, count]) => `${count} ${what}`);
const wrong =
  process.exitCode === 1
    ? "see above for what is wrong"
    : "lost, duplicated, out of order, wrongly shown, needlessly unknown: 0";
console.log(`${counts.join(", ")}; ${wrong}`);
