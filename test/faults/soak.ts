import { parseArgs } from "node:util";
import { z } from "zod";
import { describeAccount } from "./account/describe-account.ts";
import { CLUSTER_ROUNDS, clusterChapter, clusterPlan } from "./plan/cluster-plan.ts";
import { isKill, spelled } from "./plan/fault.ts";
import { planOf, type Step } from "./plan/plan.ts";
import { Rig } from "./rig.ts";
import { isGood, type Round, runRound } from "./run-round.ts";
import { saveEvidence } from "./save-evidence.ts";

const USAGE = [
  "npm run soak -- --minutes 10 --seed 7 [--backbone embedded|nats] [--kills N] [--round N] [--rounds N]",
  "npm run soak -- --backbone nats-cluster --seed 7 [--round N] [--rounds N]",
].join("\n");

const Options = z.object({
  /** Default: five, unless a number of rounds is given. */
  minutes: z.coerce.number().positive().optional(),
  seed: z.coerce
    .number()
    .int()
    .min(0)
    .default(Date.now() % 1_000_000),
  backbone: z.enum(["embedded", "nats", "nats-cluster"]).default("nats"),
  /** The maximum per round. With 0, processes keep running, and their memory can be observed. */
  kills: z.coerce.number().int().min(0).default(12),
  /** The first round, to repeat a failure without the earlier rounds. */
  round: z.coerce.number().int().min(1).default(1),
  /** The maximum. Default on a cluster without minutes: as many as inject every fault once. */
  rounds: z.coerce.number().int().min(1).optional(),
});

const readOptions = (): z.infer<typeof Options> => {
  const text = { type: "string" } as const;
  const names = { minutes: text, seed: text, backbone: text, kills: text, round: text, rounds: text };
  try {
    return Options.parse(parseArgs({ options: names }).values);
  } catch {
    console.error(`not understood; use: ${USAGE}`);
    process.exit(2);
  }
};

const { seed, backbone, kills: mostKills, round: first, ...asked } = readOptions();
const isCluster = backbone === "nats-cluster";
const rounds = asked.rounds ?? (isCluster && asked.minutes === undefined ? CLUSTER_ROUNDS : Number.POSITIVE_INFINITY);
const minutes = asked.minutes ?? (Number.isFinite(rounds) ? Number.POSITIVE_INFINITY : 5);
const SIZE = { messages: 80, faults: 20, mostKills };
const CLUSTER_MESSAGES = 100;

const stepsOf = (round: number): Step[] => {
  const seedOfRound = seed * 1_000 + round;
  if (backbone !== "nats-cluster") return planOf(seedOfRound, { backbone, ...SIZE });
  return clusterPlan(seedOfRound, CLUSTER_MESSAGES, clusterChapter(round));
};

const faultsIn = (steps: readonly Step[]) => steps.flatMap((step) => (step.do === "fault" ? step.fault : []));

/** Prints the errors, and the command that repeats the round. */
const explain = async (round: number, { account, problems }: Round, steps: readonly Step[]): Promise<void> => {
  const folder = await saveEvidence(rig.product);
  const again = `--rounds 1 --seed ${seed} --backbone ${backbone} --kills ${mostKills} --round ${round}`;
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

console.log(`${backbone}, seed ${seed}, at most ${minutes} minutes and ${rounds} rounds`);
const rig = await Rig.start(backbone);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void rig.dispose().then(() => process.exit(130)));
}
const total = { rounds: 0, messages: 0, answers: 0, faults: 0, kills: 0, unknown: 0 };

const play = async (round: number): Promise<void> => {
  const steps = stepsOf(round);
  const result = await runRound(rig, steps);
  const { messages, answers, unknown } = result.account;
  const [faults, kills] = [faultsIn(steps).length, faultsIn(steps).filter(isKill).length];
  const settled = `all seen ${(result.settledMs / 1_000).toFixed(1)} s after the last fault`;
  const counts = `${messages} messages, ${faults} faults, ${kills} kills, ${unknown.length} unknown`;
  console.log(`round ${round}: ${counts}; ${settled}; ${rig.product.memory()}`);
  if (isCluster) console.log(`  ${faultsIn(steps).map(spelled).join("; ")}`);
  total.rounds++;
  total.messages += messages;
  total.answers += answers;
  total.faults += faults;
  total.kills += kills;
  total.unknown += unknown.length;
  if (isGood(result)) return;
  process.exitCode = 1;
  await explain(round, result, steps);
};

try {
  const endsAt = performance.now() + minutes * 60_000;
  for (let round = first; round < first + rounds && performance.now() < endsAt; round++) {
    await play(round);
    if (process.exitCode !== undefined) break;
  }
} finally {
  await rig.dispose();
}
const counts = Object.entries(total).map(([what, count]) => `${count} ${what}`);
const wrong =
  process.exitCode === 1
    ? "see above for what is wrong"
    : "lost, duplicated, out of order, wrongly shown, needlessly unknown: 0";
console.log(`${counts.join(", ")}; ${wrong}`);
