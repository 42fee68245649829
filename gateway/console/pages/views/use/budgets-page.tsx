import type { AnswerTo } from "../../../../admin-api/index.ts";
import { Choice, TenantChoice } from "../../parts/choice.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { PagedList } from "../../parts/paged-list.tsx";
import { type Fact, Row, StateMark, type Tone } from "../../parts/row.tsx";
import type { Route } from "../../route.tsx";
import { useAnswer } from "../../state/use-answer.ts";
import { earlierDays } from "./use-page.tsx";

type Budget = AnswerTo<"GET budgets">["items"][number];
type Limit = Budget["limits"][number];

export const BudgetsPage = ({ route }: { route: Route }) => {
  const answer = useAnswer("budgets", route.query);
  return (
    <PageFrame
      title="Budgets"
      about="How much of each budget was used on one UTC day. A process leases a part in advance, which counts as used."
    >
      <div class="filters">
        <Choice label="Day" route={route} name="day" options={[["", "Today"], ...earlierDays()]} />
        <TenantChoice route={route} />
      </div>
      <PagedList
        name="Budgets"
        route={route}
        answer={answer}
        empty={{
          title: "No budget was used on this day.",
          text: "Budgets of people, agents and tenants are listed here once work has used them.",
        }}
      >
        {(budget) => (
          <Row
            key={budget.ref}
            title={titleOf(budget)}
            state={<BudgetMark budget={budget} />}
            facts={[
              ...budget.limits.map(limitFact),
              ["Scope", budget.scope],
              ["Agent", budget.agent ?? "all agents of the tenant"],
              ["Tenant", budget.tenant],
              ...(budget.subject === undefined ? [] : [["Id", budget.subject] as const]),
            ]}
          />
        )}
      </PagedList>
    </PageFrame>
  );
};

const titleOf = ({ name, subject, agent, tenant }: Budget): string =>
  name ?? subject ?? (agent === undefined ? `All of ${tenant}` : `All of ${agent}`);

const numbers = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

const limitFact = ({ resource, taken, limit }: Limit): Fact => {
  const text = limit === undefined ? numbers.format(taken) : `${numbers.format(taken)} of ${numbers.format(limit)}`;
  const name = resource.charAt(0).toUpperCase() + resource.slice(1);
  if (limit === undefined || limit <= 0) return [name, text];
  return [
    name,
    <span key={resource} class="meter">
      {text} <meter min={0} max={limit} value={Math.min(taken, limit)} high={limit * NEAR} aria-label={name} />
    </span>,
  ];
};

const NEAR = 0.8;

const BudgetMark = ({ budget: { limits, lifted } }: { budget: Budget }) => {
  const shares = limits.map(({ taken, limit }) => (limit === undefined || limit <= 0 ? 0 : taken / limit));
  const highest = Math.max(0, ...shares);
  const [tone, text]: [Tone, string] =
    highest >= 1
      ? lifted
        ? ["warn", "used up, lifted for the day"]
        : ["bad", "used up"]
      : highest >= NEAR
        ? ["warn", `${Math.floor(highest * 100)} % used`]
        : ["good", `${Math.floor(highest * 100)} % used`];
  return limits.every(({ limit }) => limit === undefined) ? (
    <StateMark tone="calm" text="no limit" />
  ) : (
    <StateMark tone={tone} text={text} />
  );
};
