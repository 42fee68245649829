import { PagedList } from "../../parts/paged-list.tsx";
import { placeText } from "../../parts/place-text.ts";
import { Row } from "../../parts/row.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { When } from "../../parts/when.tsx";
import type { Route } from "../../routing/route.ts";
import { useAnswer } from "../../state/use-answer.ts";
import { describeFailure } from "../outcomes/describe-failure.ts";

/** Conversations of a channel that its platform takes nothing for: blocked, removed or disabled. */
export const UnreachablePlaces = ({ channel, route }: { channel: string; route: Route }) => {
  const answer = useAnswer("channels/:channel/unreachable", { ...route.query, channel });
  return (
    <>
      <h2>Not reached</h2>
      <PagedList
        name="Not reached"
        route={route}
        answer={answer}
        empty={{
          title: "Every conversation can be reached, as far as is known.",
          text: "Where a platform says that the app is blocked, removed or disabled, it is listed here.",
        }}
      >
        {({ conversation, accountId, state, reason, since, askAgainAt }) => (
          <Row
            key={placeText(conversation)}
            title={placeText(conversation)}
            state={<StateMark tone="bad" text={state} />}
            note={describeFailure(reason).text}
            facts={[
              ["With", accountId ?? "a room"],
              ["Since", <When key="since" at={since} />],
              [
                "Tried again",
                askAgainAt === undefined ? "when something is heard" : <When key="again" at={askAgainAt} />,
              ],
            ]}
          />
        )}
      </PagedList>
    </>
  );
};
