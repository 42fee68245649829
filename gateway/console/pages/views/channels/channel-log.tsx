import { useState } from "preact/hooks";
import type { AnswerTo } from "../../../../admin-api/index.ts";
import { Choice } from "../../parts/choice.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Empty, Failed, Loading } from "../../parts/placeholders.tsx";
import { StateMark } from "../../parts/row.tsx";
import { ClockTime } from "../../parts/when.tsx";
import { addressOf, Link, type Route } from "../../route.tsx";
import { useFollow } from "../../state/use-follow.ts";

type ChannelLog = AnswerTo<"GET channels/:channel/log">;
type Line = ChannelLog["lines"][number];

/** Lines that the page keeps; older ones leave it. */
const MAX_LINES = 500;

interface Shown {
  readonly from: Omit<ChannelLog, "lines" | "dropped">;
  readonly lines: readonly (Line & { readonly run: string })[];
  readonly dropped: number;
}

/** The log lines of a channel in the process that serves this page, the newest first. */
export const ChannelLogPage = ({ route }: { route: Route }) => {
  const channel = route.id ?? "";
  const { level } = route.query;
  const [isPaused, setPaused] = useState(false);
  const [shown, setShown] = useState<Shown>();
  const { error, isLive, reload } = useFollow(
    "channels/:channel/log",
    { channel, level },
    (batch) => setShown((known) => added(known, batch)),
    !isPaused,
  );
  return (
    <PageFrame
      title={`Log of ${channel}`}
      about={
        <>
          Lines of one process, the newest first. They have no words of people.{" "}
          <Link to={addressOf("channels", channel)}>Channel {channel}</Link>
        </>
      }
      tools={
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? "Continue" : "Pause"}
        </button>
      }
    >
      <div class="filters">
        <Choice
          label="Level"
          route={route}
          name="level"
          options={[
            ["", "All levels"],
            ["info", "Info and above"],
            ["warn", "Warnings and errors"],
            ["error", "Errors"],
          ]}
        />
      </div>
      {error !== undefined ? (
        <Failed error={error} retry={reload} />
      ) : shown === undefined ? (
        <Loading />
      ) : (
        <Lines shown={shown} lowest={level} isLive={isLive} isPaused={isPaused} />
      )}
    </PageFrame>
  );
};

interface LinesProps {
  readonly shown: Shown;
  readonly lowest: string | undefined;
  readonly isLive: boolean;
  readonly isPaused: boolean;
}

const Lines = ({ shown: { from, lines, dropped }, lowest, isLive, isPaused }: LinesProps) => {
  const visible = lines.filter(({ level }) => LEVELS.indexOf(level) >= LEVELS.indexOf(lowest ?? "debug"));
  return (
    <>
      <p class="hint">
        {isPaused ? (
          <StateMark tone="warn" text="paused" />
        ) : isLive ? (
          <StateMark tone="good" text="live" />
        ) : (
          <StateMark tone="busy" text="connecting" />
        )}{" "}
        <span class="faint">
          Process <code>{from.instance}</code> logs at level {from.logLevel}.
          {dropped > 0 && ` ${dropped} lines were left out, because this page was too slow.`}
        </span>
      </p>
      {visible.length === 0 ? (
        <Empty title="No lines yet.">New lines appear here as the process writes them.</Empty>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
        <div class="log" role="log" aria-live="off" aria-label="Log lines" tabIndex={0}>
          <ol>
            {visible.toReversed().map((line) => (
              <li key={`${line.run} ${line.seq}`} class={line.level}>
                <span class="faint">
                  <ClockTime at={line.at} />
                </span>{" "}
                <span class="level">{line.level}</span> <span class="strong">{line.message}</span>{" "}
                <span class="fields">{fieldsText(line.fields)}</span>
              </li>
            ))}
          </ol>
        </div>
      )}
    </>
  );
};

const LEVELS = ["debug", "info", "warn", "error"];

/** A reconnected stream repeats the last lines of the process, so known ones are left out. */
const added = (known: Shown | undefined, { lines, dropped, ...from }: ChannelLog): Shown => {
  const before = known?.lines ?? [];
  const last = before.findLast(({ run }) => run === from.run)?.seq ?? 0;
  const fresh = lines.filter(({ seq }) => seq > last).map((line) => ({ ...line, run: from.run }));
  return { from, lines: [...before, ...fresh].slice(-MAX_LINES), dropped: (known?.dropped ?? 0) + dropped };
};

const fieldsText = (fields: Line["fields"]): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
