import type { ErrandName } from "../errands.ts";
import type { Fault } from "./fault.ts";
import { isKill } from "./fault.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { seededRandom } from "./seeded-random.ts";

/** nats-cluster: three servers, and three replicas of everything. */
export type Backbone = "embedded" | "nats" | "nats-cluster";

export interface Saying {
  readonly do: "say";
  /** Numbers that the crowd maps to people and conversations. */
  readonly person: number;
  readonly surfaceIndex: number;
  readonly errand: ErrandName;
  /** The platform redelivers it, as if it had missed the acknowledgement. */
  readonly again: boolean;
}

export type Step =
  | Saying
  | { readonly do: "rest"; readonly ms: number }
  | { readonly do: "fault"; readonly fault: Fault };

export interface PlanOptions {
  readonly backbone: Exclude<Backbone, "nats-cluster">;
  readonly messages: number;
  readonly faults: number;
  /** The maximum number of kills; further faults are of another kind. */
  readonly mostKills: number;
}

const ERRANDS = ["plain", "plain", "plain", "plain", "slow", "research", "schedule", "delegate"] as const;

/** The messages of people and the faults between them; the same for the same seed. */
export const planOf = (seed: number, { backbone, messages, faults, mostKills }: PlanOptions): Step[] => {
  const random = seededRandom(seed);
  const said = sayings(random, messages);
  let kills = 0;
  const wrong = Array.from({ length: faults }, (): Step => {
    const fault = kills < mostKills ? anyFault(random, backbone) : mildFault(random);
    if (isKill(fault)) kills++;
    return { do: "fault", fault };
  });
  return interleave(said, wrong);
};

export const sayings = (random: SeededRandom, messages: number): Saying[] =>
  Array.from({ length: messages }, () => ({
    do: "say",
    person: random.below(1_000),
    surfaceIndex: random.below(1_000),
    errand: random.pick(ERRANDS),
    again: random.below(5) === 0,
  }));

/** The number of messages is the same before, between and after the faults. */
export const interleave = (said: readonly Step[], wrong: readonly Step[]): Step[] => {
  const piece = said.length / (wrong.length + 1);
  return [
    ...wrong.flatMap((fault, index) => [...said.slice(index * piece, (index + 1) * piece), fault]),
    ...said.slice(wrong.length * piece),
  ];
};

const anyFault = (random: SeededRandom, backbone: Backbone): Fault =>
  random.below(2) === 0 ? hardFault(random, backbone) : mildFault(random);

const hardFault = (random: SeededRandom, backbone: Backbone): Fault => {
  const faults = ["kill", "kill", "kill", "stop", "freeze"] as const;
  if (backbone === "embedded") return { on: "gateway", nth: 0, what: random.pick(faults) };
  const on = random.pick(["gateway", "core", "gateway", "core", "nats"]);
  if (on === "nats") return { on, what: "kill", awayMs: random.pick([0, 200, 3_000]) };
  return { on, nth: random.below(2), what: random.pick(faults) };
};

const mildFault = (random: SeededRandom): Fault => {
  const on = random.pick([
    "slack",
    "discord",
    "teams",
    "telegram",
    "slack",
    "discord",
    "teams",
    "telegram",
    "connection",
    "model",
  ]);
  if (on === "model") return { on, what: random.pick(["503", "hang-up"]), times: 1 + random.below(2) };
  if (on === "connection") {
    const what = random.pick(["drop", "reconnect", "forget"]);
    return random.below(3) === 0 ? { on: "web", what: "drop" } : { on: "discord", what };
  }
  const what = random.pick(["429", "503", "lost answer"]);
  return { on, what, times: what === "lost answer" ? 1 : 1 + random.below(3) };
};
