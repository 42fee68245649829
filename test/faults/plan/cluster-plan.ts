import type { Fault, Leadership } from "./fault.ts";
import { interleave, type Step, sayings } from "./plan.ts";
import { seededRandom } from "./seeded-random.ts";

/** The pause after every message, so that people write before, during and after a lasting fault. */
const REST_MS = 200;

const killLeader = (leaderOf: Leadership, awayMs = 3_000): Fault => ({ on: "node", leaderOf, what: "kill", awayMs });
const freezeLeader = (leaderOf: Leadership, awayMs = 20_000): Fault => ({
  on: "node",
  leaderOf,
  what: "freeze",
  awayMs,
});
const killProcess = (on: "gateway" | "core", nth: number): Fault => ({ on, nth, what: "kill" });

/** One group per round, so that the account of a round shows which fault caused an error. */
const CHAPTERS: readonly (readonly Fault[])[] = [
  [killLeader("user_message"), killLeader("meta")],
  [freezeLeader("user_message")],
  [{ on: "cluster", what: "kill two", awayMs: 15_000 }],
  [{ on: "cluster", what: "restart in turn", awayMs: 0 }],
  [{ on: "cluster", what: "kill all", awayMs: 1_000 }],
  [killProcess("core", 0), killProcess("core", 1), killProcess("gateway", 0)],
  [killLeader("bus_members"), killLeader("bus_beats"), freezeLeader("meta")],
  [{ on: "cluster", what: "freeze two", awayMs: 15_000 }],
  [freezeLeader("bus_beats")],
  [freezeLeader("bus_members"), killProcess("core", 1), killProcess("gateway", 0), killProcess("core", 0)],
];

/** After this many rounds every fault has been injected. */
export const CLUSTER_ROUNDS = CHAPTERS.length;

/** The faults of a round; the first round has the number 1. */
export const clusterChapter = (round: number): readonly Fault[] => CHAPTERS[(round - 1) % CHAPTERS.length] ?? [];

/** The messages follow the seed; the faults are spread evenly between them, in the given order. */
export const clusterPlan = (seed: number, messages: number, faults: readonly Fault[]): Step[] => {
  const wrong = faults.map((fault): Step => ({ do: "fault", fault }));
  return interleave(sayings(seededRandom(seed), messages), wrong).flatMap((step): Step[] =>
    step.do === "say" ? [step, { do: "rest", ms: REST_MS }] : [step],
  );
};
