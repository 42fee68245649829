import { PagedList } from "../../parts/paged-list.tsx";
import { conversationText, Row, StateMark } from "../../parts/row.tsx";
import { When } from "../../parts/when.tsx";
import type { Route } from "../../routing/route.ts";
import { useAnswer } from "../../state/use-answer.ts";
import { describeFailure } from "../outcomes/describe-failure.ts";

/** Conversations that the platform rejects messages for: blocked, removed or disabled. */
export const UnreachableConversations = ({ channel, route }: { channel: string; route: Route }) => {
  const answer = useAnswer("channels/:channel/unreachable", { ...route.query, channel });
  return (
    <>
      <h2>Unreachable</h2>
      <PagedList
        name="Unreachable"
        route={route}
        answer={answer}
        empty={{
          title: "No unreachable conversations.",
          text: "Conversations are listed here if the platform reports that the app is blocked, removed or disabled.",
        }}
      >
        {({ conversation, accountId, state, reason, since, askAgainAt }) => (
          <Row
            key={conversationText(conversation)}
            title={conversationText(conversation)}
            state={<StateMark tone="bad" text={state} />}
            note={describeFailure(reason).text}
            facts={[
              ["With", accountId ?? "a room"],
              ["Since", <When key="since" at={since} />],
              [
                "Next attempt",
                askAgainAt === undefined ? "after a message from there" : <When key="again" at={askAgainAt} />,
              ],
            ]}
          />
        )}
      </PagedList>
    </>
  );
};
