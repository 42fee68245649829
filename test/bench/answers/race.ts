import { setTimeout as pause } from "node:timers/promises";
import { quantile, spreadOf } from "../measure.ts";
import type { AnswerTimes, Bot } from "./bot.ts";

/** steady: the next message follows as soon as the answer is posted. bursts: the same for a while, then rests. */
export type Load = "steady" | "bursts";

/** A measurement of several bots under the same load. */
export interface Race {
  readonly name: string;
  readonly platform: string;
  readonly load: Load;
  readonly inFlight: number;
  readonly rounds: number;
  /** The duration of a round of one bot. */
  readonly roundMs: number;
  readonly bots: readonly Bot[];
}

export interface Raced {
  readonly platform: string;
  readonly load: Load;
  readonly inFlight: number;
  readonly bot: string;
  readonly messages: number;
  /** The median of the rounds. */
  readonly perSecond: number;
  /** Milliseconds from the message to the posted answer, over all rounds. */
  readonly answer: Percentiles;
  /** Milliseconds from the message to its acknowledgement, over all rounds. */
  readonly ack?: Percentiles;
  /** CPU milliseconds per message. */
  readonly cpuMs: number;
  /** Messages per second in relation to another bot: the median of the ratios of the rounds. */
  readonly ratios: Readonly<Record<string, number>>;
}

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

interface Lap {
  readonly perSecond: number;
  readonly times: readonly AnswerTimes[];
  readonly cpuMs: number;
}

/** The bots alternate in short rounds, so that other load on the machine affects all of them; the first is a warm-up. */
export const race = async ({ platform, load, inFlight, rounds, roundMs, bots }: Race): Promise<Raced[]> => {
  const laps = new Map<Bot, Lap[]>(bots.map((bot) => [bot, []]));
  for (let round = 0; round <= rounds; round++) {
    const order = bots.map((_, index) => bots[(index + round) % bots.length] as Bot);
    for (const bot of order) {
      const lap = await lapOf(bot, inFlight, roundMs);
      if (round > 0) laps.get(bot)?.push(lap);
      if (load === "bursts") await pause(REST_MS);
    }
  }
  return bots.map((bot) => {
    const own = laps.get(bot) ?? [];
    const times = own.flatMap((lap) => lap.times);
    const acks = times.flatMap(({ ackMs }) => ackMs ?? []);
    const others = bots.filter((other) => other !== bot);
    return {
      platform,
      load,
      inFlight,
      bot: bot.name,
      messages: times.length,
      perSecond: spreadOf(own.map(({ perSecond }) => perSecond)).median,
      answer: percentilesOf(times.map(({ answerMs }) => answerMs)),
      ...(acks.length > 0 && { ack: percentilesOf(acks) }),
      cpuMs: own.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / times.length,
      ratios: Object.fromEntries(others.map((other) => [other.name, ratioOf(own, laps.get(other) ?? [])])),
    };
  });
};

/** The rest of one bot lasts while the others have their turns, and at least this long. */
const REST_MS = 1_000;

/** Each person writes, waits until the answer is posted, and writes again. */
const lapOf = async (bot: Bot, inFlight: number, roundMs: number): Promise<Lap> => {
  const times: AnswerTimes[] = [];
  const cpuBefore = await bot.cpuMs();
  const begun = performance.now();
  const lane = async (_: unknown, person: number): Promise<void> => {
    while (performance.now() - begun < roundMs) times.push(await bot.ask(person));
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const seconds = (performance.now() - begun) / 1_000;
  const cpuMs = (await bot.cpuMs()) - cpuBefore;
  bot.tidy();
  return { perSecond: times.length / seconds, times, cpuMs };
};

const percentilesOf = (values: readonly number[]): Percentiles => ({
  p50: quantile(values, 0.5),
  p99: quantile(values, 0.99),
  p999: quantile(values, 0.999),
  max: quantile(values, 1),
});

const ratioOf = (own: readonly Lap[], other: readonly Lap[]): number =>
  spreadOf(own.map(({ perSecond }, round) => perSecond / (other[round]?.perSecond ?? Number.NaN))).median;
