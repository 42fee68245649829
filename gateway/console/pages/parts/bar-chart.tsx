interface BarChartProps {
  readonly name: string;
  readonly points: readonly { readonly at: string; readonly value: number }[];
  /** Otherwise by hour. */
  readonly isByDay: boolean;
  readonly tone: "accent" | "good" | "bad";
  readonly digits?: number;
}

const WIDTH = 240;
const HEIGHT = 48;
const GAP = 2;

/** Bars over time. Screen readers get one sentence, the pointer gets a title for each bar. */
export const BarChart = ({ name, points, isByDay, tone, digits = 0 }: BarChartProps) => {
  const highest = Math.max(...points.map(({ value }) => value), 0);
  const step = WIDTH / Math.max(points.length, 1);
  const text = (value: number) => value.toFixed(digits);
  const time = isByDay ? day : hour;
  const peak = points.find(({ value }) => value === highest);
  const summary =
    highest === 0 || peak === undefined
      ? `${name} over time: none`
      : `${name} over time: highest ${text(highest)}, ${time.format(Date.parse(peak.at))}`;
  return (
    <svg class={`chart ${tone}`} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={summary}>
      <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} class="axis" />
      {points.map(({ at, value }, index) => {
        // A value above zero is visible beside a high one.
        const height = value === 0 || highest === 0 ? 0 : Math.max(2, (value / highest) * (HEIGHT - 2));
        return (
          <g key={at}>
            <title>{`${time.format(Date.parse(at))}: ${text(value)}`}</title>
            <rect x={index * step} y="0" width={step} height={HEIGHT} class="hit" />
            <rect
              x={index * step + GAP / 2}
              y={HEIGHT - height}
              width={step - GAP}
              height={height}
              rx="1"
              class="bar"
            />
          </g>
        );
      })}
    </svg>
  );
};

const hour = new Intl.DateTimeFormat("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" });
