import { useState } from "preact/hooks";
import type { Page, Schedule } from "../api/admin-api.ts";
import { AgentChoice } from "../parts/agent-choice.tsx";
import { PageFrame } from "../parts/page-frame.tsx";
import { PagedList } from "../parts/paged-list.tsx";
import { Row } from "../parts/row.tsx";
import { When } from "../parts/when.tsx";
import { Link } from "../routing/link.tsx";
import { addressOf, type Route } from "../routing/route.ts";
import { useAnswer } from "../state/use-answer.ts";
import { NewSchedule } from "./new-schedule.tsx";
import { ScheduleActions } from "./schedule-actions.tsx";
import { ScheduleMark } from "./schedule-mark.tsx";
import { ScheduleRuns } from "./schedule-runs.tsx";

export const SchedulesPage = ({ route }: { route: Route }) =>
  route.id === undefined ? <AllSchedules route={route} /> : <ScheduleRuns scheduleRef={route.id} route={route} />;

const AllSchedules = ({ route }: { route: Route }) => {
  const answer = useAnswer<Page<Schedule>>("schedules", route.query);
  const [isMaking, setMaking] = useState(false);
  return (
    <PageFrame
      title="Schedules"
      about="What the agents do by themselves, and when they do it next. Each leads to its runs."
      tools={
        <button type="button" class="primary" onClick={() => setMaking(true)}>
          New schedule
        </button>
      }
    >
      {isMaking && <NewSchedule close={() => setMaking(false)} done={answer.reload} />}
      <div class="filters">
        <AgentChoice route={route} />
      </div>
      <PagedList
        name="Schedules"
        route={route}
        answer={answer}
        empty={{
          title: "There is no schedule.",
          text: "People make them in chat, the configuration declares them, and you can make one here.",
        }}
      >
        {(schedule) => (
          <Row
            key={schedule.ref}
            title={<Link to={addressOf("schedules", schedule.ref)}>{schedule.description}</Link>}
            state={<ScheduleMark schedule={schedule} />}
            note={schedule.when}
            actions={<ScheduleActions schedule={schedule} done={answer.reload} />}
            facts={[
              ["Next run", schedule.nextDueAt === null ? "–" : <When key="next" at={schedule.nextDueAt} />],
              ["Agent", schedule.agent],
              ["Made in", schedule.madeIn],
              ["Missed runs", schedule.missed === "once" ? "run once" : "skipped"],
              ["Failures in a row", schedule.failures],
            ]}
          />
        )}
      </PagedList>
    </PageFrame>
  );
};
