import type { Percentiles, Raced } from "./race.ts";

/** One line of output per bot. */
export const raceLines = (results: readonly Raced[]): string[] =>
  results.map(({ platform, load, inFlight, bot, perSecond, answer, ack, cpuMs, ratios }) =>
    [
      `${platform}: message → answer, ${inFlight} in flight, ${load}`.padEnd(52),
      bot.padEnd(36),
      `${Math.round(perSecond).toLocaleString("en")}/s`.padStart(8),
      `answer ${times(answer)}`,
      ...(ack ? [`ack ${times(ack)}`] : []),
      `CPU ${cpuMs.toFixed(2)} ms`,
      ...Object.entries(ratios).map(([other, ratio]) => `${ratio.toFixed(2)}× of ${other}`),
    ].join("  "),
  );

const times = ({ p50, p99, p999, max }: Percentiles): string =>
  `${[p50, p99, p999, max].map((ms) => (ms >= 99.5 ? Math.round(ms) : ms.toPrecision(2))).join(" / ")} ms`;
