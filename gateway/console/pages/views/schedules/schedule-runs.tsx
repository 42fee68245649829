import type { ScheduleRun } from "../../../../admin-api/index.ts";
import { PageFrame } from "../../parts/page-frame.tsx";
import { PagedList } from "../../parts/paged-list.tsx";
import type { Tone } from "../../parts/row.tsx";
import { Row, StateMark } from "../../parts/row.tsx";
import { When } from "../../parts/when.tsx";
import { Link } from "../../routing/link.tsx";
import { addressOf, type Route } from "../../routing/route.ts";
import { useAnswer } from "../../state/use-answer.ts";

/** The runs of one schedule, with links to their traces. */
export const ScheduleRuns = ({ scheduleRef, route }: { scheduleRef: string; route: Route }) => {
  const answer = useAnswer("schedules/:ref/runs", { ...route.query, ref: scheduleRef });
  return (
    <PageFrame title="Runs of a schedule" about="The newest first, with the time that each was due.">
      <PagedList
        name="Runs"
        route={route}
        answer={answer}
        empty={{ title: "No runs yet.", text: "Runs are listed here after the first due time." }}
      >
        {(run) => (
          <Row
            key={run.name}
            title={
              run.messageId === undefined ? (
                <When at={run.dueAt} />
              ) : (
                <Link to={addressOf("trace", run.messageId)}>
                  <When at={run.dueAt} />
                </Link>
              )
            }
            state={<RunMark run={run} />}
            note={run.reason}
            facts={[["Started", <When key="fired" at={run.firedAt} />]]}
          />
        )}
      </PagedList>
    </PageFrame>
  );
};

const TONES: Readonly<Record<string, Tone>> = { answered: "good", failed: "bad" };

const RunMark = ({ run: { state, outcome } }: { run: ScheduleRun }) => {
  if (outcome !== undefined) return <StateMark tone={TONES[outcome] ?? "calm"} text={outcome} />;
  return <StateMark tone={state === "started" ? "busy" : "warn"} text={state === "started" ? "running" : state} />;
};
