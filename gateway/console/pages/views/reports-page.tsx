import type { AnswerTo } from "../../../admin-api/index.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { BlockButton } from "../parts/block-button.tsx";
import { PageFrame } from "../parts/page-frame.tsx";
import { PagedList } from "../parts/paged-list.tsx";
import { Row } from "../parts/row.tsx";
import { When } from "../parts/when.tsx";
import { addressOf, Link, type Route } from "../route.tsx";
import { useConsole } from "../state/console-context.ts";
import { useAnswer } from "../state/use-answer.ts";

export const ReportsPage = ({ route }: { route: Route }) => {
  const answer = useAnswer("reports", route.query);
  return (
    <PageFrame title="Reports" about="Messages that people have reported, the newest first. They are kept for 90 days.">
      <PagedList
        name="Reports"
        route={route}
        answer={answer}
        empty={{ title: "No reports.", text: "People report a message with the command report." }}
      >
        {(report) => <ReportRow key={report.ref} report={report} done={answer.reload} />}
      </PagedList>
    </PageFrame>
  );
};

type Report = AnswerTo<"GET reports">["items"][number];

const ReportRow = ({ report, done }: { report: Report; done: () => void }) => {
  const { client } = useConsole();
  const { ref, reporter, replyId, agent, tenant, at, reason, text } = report;
  const dismiss = async () => {
    await client.post("reports/:ref/dismiss", { ref });
    return "The report is dismissed.";
  };
  return (
    <Row
      title={<Link to={addressOf("trace", replyId)}>{reason ?? "Without a reason"}</Link>}
      note={text ?? <span class="faint">The reporter did not include the text.</span>}
      actions={
        <>
          <ActionButton label="Dismiss" of={replyId} act={dismiss} done={done} />
          <BlockButton {...reporter} label="Block the reporter" done={done} />
        </>
      }
      facts={[
        ["Reported", <When key="at" at={at} />],
        ["By", `${reporter.name} on ${reporter.channel}`],
        ["Account", reporter.accountId],
        ["Message", replyId],
        ["Agent", agent],
        ["Tenant", tenant],
      ]}
    />
  );
};
