import type { AnswerTo } from "../../../../admin-api/index.ts";
import { BarChart } from "../../parts/bar-chart.tsx";
import { Choice } from "../../parts/choice.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Failed, Loading } from "../../parts/placeholders.tsx";
import { Row, StateMark } from "../../parts/row.tsx";
import { Tile } from "../../parts/tile.tsx";
import { durationOf } from "../../parts/when.tsx";
import { addressOf, Link, type Route } from "../../route.tsx";
import { useConsole } from "../../state/console-context.ts";
import { useAnswer } from "../../state/use-answer.ts";
import { ReloadConfiguration } from "./reload-configuration.tsx";

type Overview = AnswerTo<"GET overview">;
type ChannelCounts = Overview["channels"][number];

const REFRESH_MS = 10_000;

export const OverviewPage = ({ route }: { route: Route }) => {
  const { tenants } = useConsole().me;
  const { data, error, reload } = useAnswer("overview", route.query, REFRESH_MS);
  const options = tenants.map((tenant) => [tenant, tenant] as const);
  return (
    <PageFrame
      title="Overview"
      about="Traffic of all processes. Counts are stored every ten seconds."
      tools={<ReloadConfiguration done={reload} />}
    >
      <div class="filters">
        <Choice
          label="Time"
          route={route}
          name="range"
          options={[
            ["", "24 hours"],
            ["week", "7 days"],
          ]}
        />
        {tenants.length > 1 && (
          <Choice label="Tenant" route={route} name="tenant" options={[["", "All tenants"], ...options]} />
        )}
      </div>
      {error !== undefined ? (
        <Failed error={error} retry={reload} />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <Traffic overview={data} />
      )}
    </PageFrame>
  );
};

const Traffic = ({ overview }: { overview: Overview }) => {
  const { times, total, waiting, answerSeconds, channels } = overview;
  const chart = (of: keyof Overview["total"]) => times.map((time) => ({ at: time.at, value: time[of] ?? 0 }));
  const isByDay = overview.range === "week";
  return (
    <>
      <div class="tiles">
        <Tile name="Messages" value={numbers.format(total.messages)}>
          <BarChart name="Messages" points={chart("messages")} isByDay={isByDay} tone="accent" />
        </Tile>
        <Tile name="Answers" value={numbers.format(total.answers)}>
          <BarChart name="Answers" points={chart("answers")} isByDay={isByDay} tone="good" />
        </Tile>
        <Tile name="Failures" value={numbers.format(total.failures)} isBad={total.failures > 0}>
          <BarChart name="Failures" points={chart("failures")} isByDay={isByDay} tone="bad" />
        </Tile>
        <Tile name="Dead letters" value={numbers.format(total.undelivered)} isBad={total.undelivered > 0}>
          <BarChart name="Dead letters" points={chart("undelivered")} isByDay={isByDay} tone="bad" />
        </Tile>
        {total.cost !== undefined && (
          <Tile name="Cost" value={total.cost.toFixed(2)}>
            <BarChart name="Cost" points={chart("cost")} isByDay={isByDay} tone="accent" digits={2} />
          </Tile>
        )}
        <Tile name="Waiting now" value={numbers.format(waiting)} isBad={waiting > MANY_WAITING} />
        <Tile name="Time to answer" value={secondsText(answerSeconds)} />
      </div>
      <h2>Channels</h2>
      <ul class="rows" aria-label="Channels">
        {channels.map((channel) => (
          <ChannelRow key={channel.channel} counts={channel} />
        ))}
      </ul>
    </>
  );
};

const MANY_WAITING = 100;

const secondsText = (seconds: number | undefined): string =>
  seconds === undefined ? "–" : durationOf(seconds * 1_000);

const ChannelRow = ({ counts }: { counts: ChannelCounts }) => {
  const { channel, tenant, messages, undelivered, retries, deliverySeconds, isSlow } = counts;
  return (
    <Row
      title={<Link to={addressOf("channels", channel)}>{channel}</Link>}
      state={isSlow ? <StateMark tone="warn" text="slow" /> : undefined}
      facts={[
        ["Messages", numbers.format(messages)],
        ["Time to deliver", secondsText(deliverySeconds)],
        ["Retries", numbers.format(retries)],
        ["Dead letters", deadLetters(channel, undelivered)],
        ["Tenant", tenant],
      ]}
    />
  );
};

const deadLetters = (channel: string, undelivered: number) =>
  undelivered === 0 ? "0" : <Link to={addressOf("dead-letters", undefined, { channel })}>{undelivered}</Link>;

const numbers = new Intl.NumberFormat("en");
