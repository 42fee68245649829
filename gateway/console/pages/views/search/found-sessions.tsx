import type { AnswerTo } from "../../../../admin-api/index.ts";
import { conversationText, Row } from "../../parts/row.tsx";
import { When } from "../../parts/when.tsx";
import { addressOf, Link } from "../../route.tsx";

interface FoundSessionsProps extends Pick<AnswerTo<"GET search">, "sessions"> {
  readonly title: string;
  /** The page that a session links to. */
  readonly page: "sessions" | "transcript";
}

export const FoundSessions = ({ title, sessions, page }: FoundSessionsProps) => (
  <>
    <h2>{title}</h2>
    <ul class="rows" aria-label={title}>
      {sessions.map(({ sessionId, agent, conversation, asker, lastAt, lastSummary }) => (
        <Row
          key={sessionId}
          title={<Link to={addressOf(page, sessionId, { agent })}>{lastSummary}</Link>}
          facts={[
            ["With", asker.name],
            ["Where", conversationText(conversation)],
            ["Agent", agent],
            ["Last turn", <When key="last" at={lastAt} />],
          ]}
        />
      ))}
    </ul>
  </>
);
