import { AgentChoice, Choice } from "../../parts/choice.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { PagedList } from "../../parts/paged-list.tsx";
import { Row } from "../../parts/row.tsx";
import { When } from "../../parts/when.tsx";
import { addressOf, Link, type Route } from "../../route.tsx";
import { useAnswer } from "../../state/use-answer.ts";
import { type Approval, ApprovalMark } from "../outcomes/approval-mark.tsx";

const REFRESH_MS = 10_000;

export const ApprovalsPage = ({ route }: { route: Route }) => {
  const answer = useAnswer("approvals", route.query, REFRESH_MS);
  return (
    <PageFrame
      title="Approvals"
      about="Tool calls that wait for a person, the one that waits longest first. People decide in the chat that asked."
    >
      <div class="filters">
        <Choice
          label="Which approvals"
          route={route}
          name="status"
          options={[
            ["", "Open"],
            ["all", "Last seven days"],
          ]}
        />
        <AgentChoice route={route} />
      </div>
      <PagedList
        name="Approvals"
        route={route}
        answer={answer}
        empty={{ title: "No call waits for an approval.", text: "Calls are listed here until they have ended." }}
      >
        {(approval) => (
          <Row
            key={approval.id}
            title={<Link to={addressOf("trace", approval.turnId, { agent: approval.agent })}>{approval.tool}</Link>}
            state={<ApprovalMark approval={approval} />}
            facts={factsOf(approval)}
          />
        )}
      </PagedList>
    </PageFrame>
  );
};

const factsOf = ({ id, agent, asker, channel, decidedBy = "nobody yet", createdAt, expiresAt }: Approval) =>
  [
    ["Requested by", `${asker} on ${channel}`],
    ["Decided by", decidedBy],
    ["Agent", agent],
    ["Asked", <When key="asked" at={createdAt} />],
    ["Expires", <When key="expires" at={expiresAt} />],
    ["Approval", <code key="id">{id}</code>],
  ] as const;
