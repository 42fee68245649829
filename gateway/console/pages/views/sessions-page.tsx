import { AgentChoice } from "../parts/choice.tsx";
import { PageFrame } from "../parts/page-frame.tsx";
import { PagedList } from "../parts/paged-list.tsx";
import { conversationText, Row } from "../parts/row.tsx";
import { durationText, When } from "../parts/when.tsx";
import { addressOf, Link, type Route } from "../route.tsx";
import { useConsole } from "../state/console-context.ts";
import { useAnswer } from "../state/use-answer.ts";
import { OutcomeMark } from "./outcomes/outcome-mark.tsx";

export const SessionsPage = ({ route }: { route: Route }) =>
  route.id === undefined ? <AllSessions route={route} /> : <SessionDetail sessionId={route.id} route={route} />;

const AllSessions = ({ route }: { route: Route }) => {
  const answer = useAnswer("sessions", route.query);
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
          text: "A session starts with the first message.",
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
              ["Where", conversationText(session.conversation)],
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

/** The turns of one session, with links to their traces. */
const SessionDetail = ({ sessionId, route }: { sessionId: string; route: Route }) => {
  const { agents } = useConsole().me;
  const agent = route.query.agent ?? agents[0]?.name ?? "";
  const answer = useAnswer("sessions/:sessionId/turns", { ...route.query, sessionId, agent });
  return (
    <PageFrame
      title="Turns of a session"
      about={<code>{sessionId}</code>}
      tools={<Link to={addressOf("transcript", sessionId, { agent })}>Transcript and takeover</Link>}
    >
      <PagedList
        name="Turns"
        route={route}
        answer={answer}
        empty={{ title: "No stored turns.", text: "Turns are kept for seven days." }}
      >
        {(turn) => (
          <Row
            key={turn.turnId}
            title={<Link to={addressOf("trace", turn.messageId, { agent })}>{turn.summary}</Link>}
            state={<OutcomeMark turn={turn} />}
            facts={[
              ["Trigger", turn.command ?? turn.trigger],
              ["Started", <When key="began" at={turn.openedAt} />],
              ["Duration", turn.endedAt === undefined ? "–" : durationText(turn.openedAt, turn.endedAt)],
              ["Turn", <code key="id">{turn.turnId}</code>],
            ]}
          />
        )}
      </PagedList>
    </PageFrame>
  );
};
