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
  const { after: _, ...ofDay } = route.query;
  const totals = useAnswer("use/totals", ofDay);
  const people = useAnswer("use", route.query);
  return (
    <PageFrame title="Use" about="Turns, tokens and cost of one UTC day, updated once a minute.">
      <div class="filters">
        <Choice label="Day" route={route} name="day" options={[["", "Today"], ...earlierDays()]} />
        <TenantChoice route={route} />
      </div>
      <h2>Agents and models</h2>
      <PagedList
        name="Agents and models"
        route={{ ...route, query: ofDay }}
        answer={totals}
        empty={{ title: "No use on this day.", text: "Use is listed within a minute after a model has answered." }}
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
        empty={{ title: "No use on this day.", text: "Schedules and other agents are listed here too." }}
      >
        {(use) => (
          <Row
            key={use.ref}
            title={use.name ?? use.personId}
            state={<code class="faint">{use.personId}</code>}
            facts={[
              ...factsOf(sumOf(use.models)),
              ["Agent", use.agent],
              ["Models", use.models.map(({ model }) => model).join(", ")],
              ["Tenant", use.tenant],
            ]}
          />
        )}
      </PagedList>
    </PageFrame>
  );
};

/** The last days, for the choice of one. */
export const earlierDays = (): (readonly [string, string])[] =>
  Array.from({ length: DAYS }, (_, index) => {
    const day = new Date(Date.now() - (index + 1) * DAY_MS).toISOString().slice(0, 10);
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
