import type { AnswerTo } from "../../../../admin-api/index.ts";
import { BarChart } from "../../parts/bar-chart.tsx";
import { AgentChoice, ChannelChoice, Choice, TenantChoice } from "../../parts/choice.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { PagedList } from "../../parts/paged-list.tsx";
import { Failed } from "../../parts/placeholders.tsx";
import { Row, StateMark } from "../../parts/row.tsx";
import { Tile } from "../../parts/tile.tsx";
import { When } from "../../parts/when.tsx";
import { addressOf, Link, type Route } from "../../route.tsx";
import { useAnswer } from "../../state/use-answer.ts";

type Feedback = AnswerTo<"GET feedback">["items"][number];
type Counts = AnswerTo<"GET feedback/counts">;

export const FeedbackPage = ({ route }: { route: Route }) => {
  const { range, ...filters } = route.query;
  const { tenant, agent } = filters;
  const counts = useAnswer("feedback/counts", { range, tenant, agent });
  const answer = useAnswer("feedback", filters);
  return (
    <PageFrame
      title="Feedback"
      about="Ratings of answers, those of the newest answers first. People wrote the comments to you. They are kept for 90 days."
    >
      <div class="filters">
        <Choice
          label="Rating"
          route={route}
          name="rating"
          options={[
            ["", "All ratings"],
            ["down", "Not helpful"],
            ["up", "Helpful"],
          ]}
        />
        <Choice
          label="Time of the charts"
          route={route}
          name="range"
          options={[
            ["", "7 days"],
            ["day", "24 hours"],
          ]}
        />
        <AgentChoice route={route} />
        <ChannelChoice route={route} />
        <TenantChoice route={route} />
      </div>
      {counts.error !== undefined && <Failed error={counts.error} retry={counts.reload} />}
      {counts.data && <Charts counts={counts.data} />}
      <PagedList
        name="Feedback"
        route={route}
        answer={answer}
        empty={{ title: "No feedback.", text: "People rate an answer with the thumbs below it, in the web widget." }}
      >
        {(feedback) => <FeedbackRow key={feedback.ref} feedback={feedback} />}
      </PagedList>
    </PageFrame>
  );
};

const Charts = ({ counts: { range, times, total } }: { counts: Counts }) => {
  const points = (of: "up" | "down") => times.map((time) => ({ at: time.at, value: time[of] }));
  const isByDay = range === "week";
  return (
    <div class="tiles">
      <Tile name="Helpful" value={String(total.up)}>
        <BarChart name="Helpful" points={points("up")} isByDay={isByDay} tone="good" />
      </Tile>
      <Tile name="Not helpful" value={String(total.down)}>
        <BarChart name="Not helpful" points={points("down")} isByDay={isByDay} tone="bad" />
      </Tile>
    </div>
  );
};

const FeedbackRow = ({ feedback }: { feedback: Feedback }) => {
  const { author, replyId, sessionId, rating, comment, agent, tenant, at } = feedback;
  const isUp = rating === "up";
  return (
    <Row
      title={<Link to={addressOf("trace", replyId, { agent })}>{`Answer to ${author.name}`}</Link>}
      state={<StateMark tone={isUp ? "good" : "bad"} text={isUp ? "helpful" : "not helpful"} />}
      note={comment ?? <span class="faint">Without a comment.</span>}
      actions={
        sessionId === undefined ? undefined : (
          <Link to={addressOf("transcript", sessionId, { agent })}>Read the session</Link>
        )
      }
      facts={[
        ["Rated", <When key="at" at={at} />],
        ["Channel", author.channel],
        ["Account", author.accountId],
        ["Agent", agent],
        ["Tenant", tenant],
        ["Answer", replyId],
      ]}
    />
  );
};
