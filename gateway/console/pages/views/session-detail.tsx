import type { Page } from "../api/admin-api.ts";
import type { TurnSummary } from "../api/trace.ts";
import { durationText } from "../parts/duration-text.ts";
import { PageFrame } from "../parts/page-frame.tsx";
import { PagedList } from "../parts/paged-list.tsx";
import { Row } from "../parts/row.tsx";
import { When } from "../parts/when.tsx";
import { Link } from "../routing/link.tsx";
import { addressOf, type Route } from "../routing/route.ts";
import { useConsole } from "../state/console-context.ts";
import { useAnswer } from "../state/use-answer.ts";
import { OutcomeMark } from "./outcome-mark.tsx";

/** The turns of one session, each of which leads to its trace. */
export const SessionDetail = ({ sessionId, route }: { sessionId: string; route: Route }) => {
  const { agents } = useConsole().me;
  const agent = route.query.agent ?? agents[0]?.name ?? "";
  const path = `sessions/${encodeURIComponent(sessionId)}/turns`;
  const answer = useAnswer<Page<TurnSummary>>(path, { ...route.query, agent });
  return (
    <PageFrame title="Turns of a session" about={<code>{sessionId}</code>}>
      <PagedList
        name="Turns"
        route={route}
        answer={answer}
        empty={{ title: "No turn of this session is kept.", text: "Turns are kept for seven days." }}
      >
        {(turn) => (
          <Row
            key={turn.turnId}
            title={<Link to={addressOf("trace", turn.messageId, { agent })}>{turn.summary}</Link>}
            state={<OutcomeMark turn={turn} />}
            facts={[
              ["Because of", turn.command ?? turn.trigger],
              ["Began", <When key="began" at={turn.openedAt} />],
              ["Took", turn.endedAt === undefined ? "–" : durationText(turn.openedAt, turn.endedAt)],
              ["Turn", <code key="id">{turn.turnId}</code>],
            ]}
          />
        )}
      </PagedList>
    </PageFrame>
  );
};
