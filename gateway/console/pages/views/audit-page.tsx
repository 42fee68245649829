import type { AuditEntry } from "../../../admin-api/index.ts";
import { PageFrame } from "../parts/page-frame.tsx";
import { PagedList } from "../parts/paged-list.tsx";
import type { Fact } from "../parts/row.tsx";
import { Row, StateMark } from "../parts/row.tsx";
import { When } from "../parts/when.tsx";
import type { Route } from "../route.tsx";
import { useAnswer } from "../state/use-answer.ts";

export const AuditPage = ({ route }: { route: Route }) => {
  const answer = useAnswer("audit", route.query);
  return (
    <PageFrame title="Audit log" about="All changes by operators, attempted or completed, the newest first.">
      <PagedList
        name="Audit log"
        route={route}
        answer={answer}
        empty={{
          title: "No changes yet.",
          text: "Each change is recorded here before it is carried out.",
        }}
      >
        {(entry) => (
          <Row key={entry.id} title={actionText(entry)} state={<StatusMark entry={entry} />} facts={factsOf(entry)} />
        )}
      </PagedList>
    </PageFrame>
  );
};

const StatusMark = ({ entry: { status } }: { entry: AuditEntry }) => {
  if (status === undefined) return <StateMark tone="warn" text="started, outcome unknown" />;
  return status < 400 ? <StateMark tone="good" text="done" /> : <StateMark tone="bad" text={`rejected (${status})`} />;
};

const factsOf = ({ at, operator, tenant, target, detail }: AuditEntry): readonly Fact[] => [
  ["When", <When key="at" at={at} />],
  ["Operator", `${operator.role.replace("_", " ")}, token ${operator.token}`],
  ["Tenant", tenant ?? "–"],
  ...Object.entries({ ...target, ...detail })
    .filter(([name]) => name !== "ref")
    .map(([name, value]): Fact => [capitalised(name), typeof value === "string" ? value : JSON.stringify(value)]),
];

const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const ACTION_LABELS: Readonly<Record<string, string>> = {
  "POST /admin/api/channels/:channel/pause": "Pause a channel",
  "POST /admin/api/channels/:channel/resume": "Resume a channel",
  "POST /admin/api/channels/:channel/test": "Send a test message",
  "POST /admin/api/subtasks/:ref/cancel": "Cancel a subtask",
  "POST /admin/api/configuration/settings": "Change a setting",
  "POST /admin/api/schedules": "Create a schedule",
  "POST /admin/api/schedules/:ref/run": "Run a schedule now",
  "POST /admin/api/schedules/:ref/cancel": "Cancel a schedule",
  "POST /admin/api/schedules/:ref/pause": "Pause a schedule",
  "POST /admin/api/schedules/:ref/resume": "Resume a schedule",
  "POST /admin/api/dead-letters/:ref/retry": "Retry a dead letter",
  "POST /admin/api/dead-letters/:ref/dismiss": "Dismiss a dead letter",
  "POST /admin/api/dead-letters/settle": "Settle dead letters",
  "POST /admin/api/sessions/:sessionId/break-glass": "Break the glass",
  "GET /admin/api/sessions/:sessionId/transcript": "Read a transcript",
  "POST /admin/api/sessions/:sessionId/takeover": "Take a conversation over",
  "POST /admin/api/sessions/:sessionId/takeover/answer": "Answer as an operator",
  "POST /admin/api/sessions/:sessionId/takeover/end": "End a takeover",
  "POST /admin/api/search/words": "Search private words",
  "POST /admin/api/people/:ref/unlink": "Unlink an account",
  "PATCH /admin/api/tenants/:id": "Change a tenant's settings",
};

/** The label of an action; an unknown route is shown as it is. */
const actionText = ({ action }: AuditEntry): string => ACTION_LABELS[action] ?? action;
