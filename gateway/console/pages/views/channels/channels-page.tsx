import { PageFrame } from "../../parts/page-frame.tsx";
import { PagedList } from "../../parts/paged-list.tsx";
import { Row } from "../../parts/row.tsx";
import { When } from "../../parts/when.tsx";
import { addressOf, Link, type Route } from "../../route.tsx";
import { useAnswer } from "../../state/use-answer.ts";
import { ChannelActions } from "./channel-actions.tsx";
import { ChannelDetail } from "./channel-detail.tsx";
import { ChannelMark, ChannelProblem, UndeliveredCount } from "./channel-state.tsx";

/** Gateways report changes at this interval. */
const REFRESH_MS = 15_000;

export const ChannelsPage = ({ route }: { route: Route }) =>
  route.id === undefined ? <AllChannels route={route} /> : <ChannelDetail channel={route.id} route={route} />;

const AllChannels = ({ route }: { route: Route }) => {
  const answer = useAnswer("channels", {}, REFRESH_MS);
  return (
    <PageFrame title="Channels" about="The state of each channel that people use to reach the agents.">
      <PagedList
        name="Channels"
        route={route}
        answer={answer}
        empty={{ title: "No channel is configured.", text: "Add one under channels in the configuration." }}
      >
        {(channel) => (
          <Row
            key={channel.channel}
            title={<Link to={addressOf("channels", channel.channel)}>{channel.channel}</Link>}
            state={<ChannelMark channel={channel} />}
            actions={<ChannelActions channel={channel} done={answer.reload} />}
            note={<ChannelProblem channel={channel} />}
            facts={[
              ["Adapter", channel.adapter],
              ["Agent", channel.agent],
              ["Last received", <When key="in" at={channel.lastInAt} />],
              ["Last sent", <When key="out" at={channel.lastOutAt} />],
              ["Gateways", channel.gateways.length],
              ["Undelivered", <UndeliveredCount key="dead" channel={channel} />],
            ]}
          />
        )}
      </PagedList>
    </PageFrame>
  );
};
