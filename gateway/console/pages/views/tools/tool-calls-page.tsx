import type { AnswerTo } from "../../../../admin-api/index.ts";
import { AgentChoice, Choice } from "../../parts/choice.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { PagedList } from "../../parts/paged-list.tsx";
import { Row, StateMark, type Tone } from "../../parts/row.tsx";
import { durationOf, When } from "../../parts/when.tsx";
import { addressOf, Link, type Route } from "../../route.tsx";
import { useAnswer } from "../../state/use-answer.ts";

type ToolCall = AnswerTo<"GET tool-calls">["items"][number];

const REFRESH_MS = 10_000;

export const ToolCallsPage = ({ route }: { route: Route }) => {
  const answer = useAnswer("tool-calls", route.query, route.query.after === undefined ? REFRESH_MS : undefined);
  const { tool, person } = route.query;
  const { tool: _tool, person: _person, after: _after, ...others } = route.query;
  return (
    <PageFrame
      title="Tool calls"
      about="Calls of seven days, the newest first, listed within ten seconds. Arguments and results are not shown."
    >
      <WaitingApprovals />
      <div class="filters">
        <Choice
          label="Outcome"
          route={route}
          name="outcome"
          options={[
            ["", "All calls"],
            ["problems", "Problems"],
          ]}
        />
        <AgentChoice route={route} />
        {(tool !== undefined || person !== undefined) && (
          <p class="chosen">
            Only {tool !== undefined ? <code>{tool}</code> : "all tools"}
            {person !== undefined && (
              <>
                {" "}
                for <code>{person}</code>
              </>
            )}
            {" · "}
            <Link to={addressOf(route.page, undefined, others)}>Show all</Link>
          </p>
        )}
      </div>
      <PagedList
        name="Tool calls"
        route={route}
        answer={answer}
        empty={{ title: "No tool calls.", text: "Calls are listed here when they have ended." }}
      >
        {(call) => <CallRow key={`${call.id} ${call.endedAt}`} call={call} route={route} />}
      </PagedList>
    </PageFrame>
  );
};

/** The number of calls that wait for a person, and the age of the oldest; the list is a page of its own. */
const WaitingApprovals = () => {
  const { data } = useAnswer("approvals", { limit: "200" }, REFRESH_MS);
  const waiting = data?.items.filter(({ state }) => state === "pending") ?? [];
  const [oldest] = waiting.map(({ createdAt }) => createdAt).sort();
  if (oldest === undefined) return null;
  const count = `${waiting.length}${data?.next === undefined ? "" : " or more"}`;
  return (
    <p class="hint">
      <Link to={addressOf("approvals")}>
        {waiting.length === 1 ? "1 call waits for an approval" : `${count} calls wait for an approval`}
      </Link>
      , the oldest was requested <When at={oldest} />.
    </p>
  );
};

const TONES: Readonly<Record<ToolCall["outcome"], Tone>> = {
  done: "good",
  failed: "bad",
  timeout: "bad",
  interrupted: "bad",
  cancelled: "calm",
  refused: "warn",
  invalid: "warn",
};

const CallRow = ({ call, route }: { call: ToolCall; route: Route }) => {
  const { tool, server, outcome, durationMs, endedAt, agent, tenant, personId, turnId } = call;
  const { after: _, ...query } = route.query;
  return (
    <Row
      title={<Link to={addressOf("trace", turnId, { agent })}>{tool}</Link>}
      state={<StateMark tone={TONES[outcome] ?? "calm"} text={outcome} />}
      actions={<Link to={addressOf(route.page, undefined, { ...query, tool })}>only this tool</Link>}
      facts={[
        ["Ended", <When key="at" at={endedAt} />],
        ["Duration", durationMs === undefined ? "did not run" : durationOf(durationMs)],
        ["Server", server ?? "built in"],
        [
          "Asked by",
          <Link key="person" to={addressOf(route.page, undefined, { ...query, person: personId })}>
            {personId}
          </Link>,
        ],
        ["Agent", agent],
        ["Tenant", tenant],
      ]}
    />
  );
};
