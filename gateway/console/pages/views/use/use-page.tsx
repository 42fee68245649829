import type { AnswerTo } from "../../../../admin-api/index.ts";
import { Choice, TenantChoice } from "../../parts/choice.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { PagedList } from "../../parts/paged-list.tsx";
import { type Fact, Row } from "../../parts/row.tsx";
import type { Route } from "../../route.tsx";
import { useAnswer } from "../../state/use-answer.ts";

type PersonUse = AnswerTo<"GET use">["items"][number];
type ModelUse = PersonUse["models"][number];

const DAY_MS = 24 * 3_600_000;
const DAYS = 7;

export const UsePage = ({ route }: { route: Route }) => {
  const { after: _, ...ofDays } = route.query;
  const totals = useAnswer("use/totals", ofDays);
  const people = useAnswer("use", route.query);
  const isRange = Number(ofDays.days ?? 1) > 1;
  const none = isRange ? "No use on these days." : "No use on this day.";
  return (
    <PageFrame title="Use" about="Turns, tokens and cost of one or several UTC days, updated once a minute.">
      <div class="filters">
        <Choice label="Range" route={route} name="days" options={RANGES} />
        <Choice
          label={isRange ? "Last day" : "Day"}
          route={route}
          name="day"
          options={[["", "Today"], ...earlierDays()]}
        />
        <TenantChoice route={route} />
      </div>
      {isRange && <p class="faint">{rangeText(ofDays)}</p>}
      <h2>Agents and models</h2>
      <PagedList
        name="Agents and models"
        route={{ ...route, query: ofDays }}
        answer={totals}
        empty={{ title: none, text: "Use is listed within a minute after a model has answered." }}
      >
        {(use) => (
          <Row
            key={`${use.tenant} ${use.agent} ${use.model}`}
            title={use.agent}
            state={<code class="faint">{use.model}</code>}
            facts={[...factsOf(use), ["People", String(use.people)], ["Tenant", use.tenant]]}
          />
        )}
      </PagedList>
      <h2>People</h2>
      <PagedList
        name="People"
        route={route}
        answer={people}
        empty={{ title: none, text: "Schedules and other agents are listed here too." }}
      >
        {(use) => (
          <Row
            key={use.ref}
            title={use.name ?? use.personId}
            state={<code class="faint">{use.personId}</code>}
            facts={[
              ...factsOf(sumOf(use.models)),
              ["Agent", use.agent],
              ...use.models.map((each): Fact => [`Model ${each.model}`, modelText(each)]),
              ["Tenant", use.tenant],
            ]}
          />
        )}
      </PagedList>
    </PageFrame>
  );
};

const RANGES = [
  ["", "One day"],
  ["7", "7 days"],
  ["30", "30 days"],
] as const;

/** "2026-11-12 to 2026-11-18" */
const rangeText = ({ day, days }: Readonly<Record<string, string>>): string => {
  const last = day === undefined ? Date.now() : Date.parse(day);
  const first = last - (Number(days) - 1) * DAY_MS;
  return Number.isNaN(first) ? "" : `${isoDay(first)} to ${isoDay(last)}`;
};

const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The last days, for the choice of one. */
export const earlierDays = (): (readonly [string, string])[] =>
  Array.from({ length: DAYS }, (_, index) => {
    const day = isoDay(Date.now() - (index + 1) * DAY_MS);
    return [day, day] as const;
  });

const numbers = new Intl.NumberFormat();

const factsOf = ({ turns, requests, inputTokens, outputTokens, cost }: Omit<ModelUse, "model">): Fact[] => [
  ["Turns", numbers.format(turns)],
  ["Requests", numbers.format(requests)],
  ["Tokens read", numbers.format(inputTokens)],
  ["Tokens written", numbers.format(outputTokens)],
  ["Cost", cost === undefined ? "no price" : cost.toFixed(2)],
];

const modelText = ({ inputTokens, outputTokens, cost }: ModelUse): string =>
  `${numbers.format(inputTokens + outputTokens)} tokens, ${cost === undefined ? "no price" : `cost ${cost.toFixed(2)}`}`;

const sumOf = (models: readonly ModelUse[]): Omit<ModelUse, "model"> => {
  const sum = (of: (use: ModelUse) => number) => models.reduce((total, use) => total + of(use), 0);
  const isPriced = models.some(({ cost }) => cost !== undefined);
  return {
    turns: sum(({ turns }) => turns),
    requests: sum(({ requests }) => requests),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    ...(isPriced && { cost: sum(({ cost = 0 }) => cost) }),
  };
};
