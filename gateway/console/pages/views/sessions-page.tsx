import type { Page, Session } from "../api/admin-api.ts";
import { AgentChoice } from "../parts/agent-choice.tsx";
import { PageFrame } from "../parts/page-frame.tsx";
import { PagedList } from "../parts/paged-list.tsx";
import { placeText } from "../parts/place-text.ts";
import { Row } from "../parts/row.tsx";
import { When } from "../parts/when.tsx";
import { Link } from "../routing/link.tsx";
import { addressOf, type Route } from "../routing/route.ts";
import { useAnswer } from "../state/use-answer.ts";
import { SessionDetail } from "./session-detail.tsx";

export const SessionsPage = ({ route }: { route: Route }) =>
  route.id === undefined ? <AllSessions route={route} /> : <SessionDetail sessionId={route.id} route={route} />;

const AllSessions = ({ route }: { route: Route }) => {
  const answer = useAnswer<Page<Session>>("sessions", route.query);
  return (
    <PageFrame title="Sessions" about="Conversations and background work of the last seven days, the newest first.">
      <div class="filters">
        <AgentChoice route={route} />
      </div>
      <PagedList
        name="Sessions"
        route={route}
        answer={answer}
        empty={{
          title: "No session has had a turn in the last seven days.",
          text: "One begins with the first message.",
        }}
      >
        {(session) => (
          <Row
            key={`${session.agent} ${session.sessionId}`}
            title={
              <Link to={addressOf("sessions", session.sessionId, { agent: session.agent })}>{session.lastSummary}</Link>
            }
            facts={[
              ["With", session.asker.name],
              ["Where", placeText(session.conversation)],
              ["Kind", session.kind],
              ["Agent", session.agent],
              ["Turns", session.turns],
              ["Last turn", <When key="last" at={session.lastAt} />],
            ]}
          />
        )}
      </PagedList>
    </PageFrame>
  );
};
