import type { Channel } from "../../../../admin-api/index.ts";
import { PageFrame } from "../../parts/page-frame.tsx";
import { PagedList } from "../../parts/paged-list.tsx";
import { Empty, Failed, Loading } from "../../parts/placeholders.tsx";
import { conversationText, Facts, Row, StateMark } from "../../parts/row.tsx";
import { When } from "../../parts/when.tsx";
import { addressOf, Link, type Route } from "../../route.tsx";
import { useAnswer } from "../../state/use-answer.ts";
import { describeFailure } from "../outcomes/describe-failure.ts";
import { ChannelActions } from "./channel-actions.tsx";
import { ChannelMark, ChannelProblem, errorText, UndeliveredCount } from "./channel-state.tsx";

/** Gateways report changes at this interval. */
const REFRESH_MS = 15_000;

export const ChannelDetail = ({ channel: name, route }: { channel: string; route: Route }) => {
  const { data: channel, error, reload } = useAnswer("channels/:channel", { channel: name }, REFRESH_MS);
  return (
    <PageFrame
      title={`Channel ${name}`}
      about={channel && <ChannelMark channel={channel} />}
      tools={
        channel && (
          <>
            <Link to={addressOf("channel-log", name)}>Live log</Link>
            <ChannelActions channel={channel} done={reload} />
          </>
        )
      }
    >
      {error !== undefined && <Failed error={error} retry={reload} />}
      {error === undefined && channel === undefined && <Loading />}
      {channel && <Detail channel={channel} />}
      {channel && <UnreachableConversations channel={name} route={route} />}
    </PageFrame>
  );
};

const Detail = ({ channel }: { channel: Channel }) => (
  <>
    <section class="card">
      <p class="row-note">
        <ChannelProblem channel={channel} />
      </p>
      <Facts
        facts={[
          ["Adapter", channel.adapter],
          ["Agent", channel.agent],
          ["Tenant", channel.tenant],
          ["Last received", <When key="in" at={channel.lastInAt} />],
          ["Last sent", <When key="out" at={channel.lastOutAt} />],
          ["Undelivered", <UndeliveredCount key="dead" channel={channel} />],
        ]}
      />
    </section>
    <h2>Gateways</h2>
    {channel.gateways.length === 0 ? (
      <Empty title="No gateway runs this channel.">Start one with this configuration.</Empty>
    ) : (
      <ul class="rows" aria-label="Gateways">
        {channel.gateways.map(({ instance, state, reason, seenAt }) => (
          <Row
            key={instance}
            title={<code>{instance}</code>}
            state={<ChannelMark channel={{ state }} />}
            note={reason}
            facts={[["Last report", <When key="seen" at={seenAt} />]]}
          />
        ))}
      </ul>
    )}
    <h2>Errors</h2>
    {channel.errors.length === 0 ? (
      <Empty title="No errors.">The last 20 errors are listed here.</Empty>
    ) : (
      <ul class="rows" aria-label="Errors">
        {channel.errors.map((error) => (
          <Row
            key={`${error.at} ${error.what}`}
            title={errorText(error)}
            facts={[
              ["During", error.what],
              ["Last", <When key="at" at={error.at} />],
              ["Count", error.count],
            ]}
          />
        ))}
      </ul>
    )}
  </>
);

/** Conversations that the platform rejects messages for: blocked, removed or disabled. */
const UnreachableConversations = ({ channel, route }: { channel: string; route: Route }) => {
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
