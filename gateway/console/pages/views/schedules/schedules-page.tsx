import { useState } from "preact/hooks";
import type { Schedule, ScheduleRun } from "../../../../admin-api/index.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { AgentChoice, Choice } from "../../parts/choice.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { PagedList } from "../../parts/paged-list.tsx";
import { type Fact, Row, StateMark, type Tone } from "../../parts/row.tsx";
import { OWN_ZONE, When, ZonedTime } from "../../parts/when.tsx";
import { addressOf, Link, type Route } from "../../route.tsx";
import { useConsole } from "../../state/console-context.ts";
import { useAnswer } from "../../state/use-answer.ts";
import { NewScheduleDialog } from "./new-schedule.tsx";

export const SchedulesPage = ({ route }: { route: Route }) =>
  route.id === undefined ? <AllSchedules route={route} /> : <ScheduleRuns scheduleRef={route.id} route={route} />;

const AllSchedules = ({ route }: { route: Route }) => {
  const answer = useAnswer("schedules", route.query);
  const [isMaking, setMaking] = useState(false);
  return (
    <PageFrame
      title="Schedules"
      about="Recurring and one-time work of the agents. Open a schedule to see its runs."
      tools={
        <button type="button" class="primary" onClick={() => setMaking(true)}>
          New schedule
        </button>
      }
    >
      {isMaking && <NewScheduleDialog close={() => setMaking(false)} done={answer.reload} />}
      <div class="filters">
        <Choice
          label="State"
          route={route}
          name="status"
          options={[
            ["", "All schedules"],
            ["active", "Active"],
            ["paused", "Paused"],
          ]}
        />
        <AgentChoice route={route} />
      </div>
      <PagedList
        name="Schedules"
        route={route}
        answer={answer}
        empty={{
          title: "No schedules.",
          text: "Schedules are created in chat, in the configuration, or here.",
        }}
      >
        {(schedule) => (
          <Row
            key={schedule.ref}
            title={<Link to={addressOf("schedules", schedule.ref)}>{schedule.description}</Link>}
            state={<ScheduleMark schedule={schedule} />}
            note={
              <>
                {schedule.when}
                {schedule.paused && (
                  <>
                    <br />
                    Paused <When at={schedule.paused.at} />: {schedule.paused.reason}.
                  </>
                )}
              </>
            }
            actions={<ScheduleActions schedule={schedule} done={answer.reload} />}
            facts={factsOf(schedule)}
          />
        )}
      </PagedList>
    </PageFrame>
  );
};

const factsOf = ({ nextDueAt, timeZone, lastRun, owner, agent, madeIn, missed, failures }: Schedule): Fact[] => [
  [`Next run, ${timeZone}`, nextDueAt === null ? "–" : <ZonedTime key="next" at={nextDueAt} timeZone={timeZone} />],
  ...(timeZone === OWN_ZONE || nextDueAt === null
    ? []
    : [[`Next run, ${OWN_ZONE}`, <ZonedTime key="own" at={nextDueAt} timeZone={OWN_ZONE} />] as const]),
  [
    "Last run",
    lastRun === undefined ? (
      "none yet"
    ) : (
      <span key="last">
        <When at={lastRun.firedAt} /> <RunMark run={lastRun} />
      </span>
    ),
  ],
  ["Owner", owner === undefined ? "operators" : `${owner.name} (${owner.channel} · ${owner.accountId})`],
  ["Agent", agent],
  ["Created in", madeIn],
  ["Missed runs", missed === "once" ? "run once" : "skipped"],
  ["Consecutive failures", failures],
];

const ScheduleActions = ({ schedule, done }: { schedule: Schedule; done: () => void }) => {
  const { client } = useConsole();
  const { ref, description, status } = schedule;
  const act = (verb: "run" | "cancel" | "pause" | "resume", notice: string) => async () => {
    await client.post(`schedules/:ref/${verb}`, { ref });
    return notice;
  };
  const common = { of: description, done };
  return (
    <>
      {status !== "cancelled" && (
        <ActionButton {...common} label="Run now" act={act("run", `${description} is running now.`)} />
      )}
      {status === "active" && (
        <ActionButton
          {...common}
          label="Pause"
          act={act("pause", `${description} is paused.`)}
          confirm={{
            question: `Pause “${description}”?`,
            text: "It does not run until it is resumed here, or by its owner with /schedules. A current run continues.",
          }}
        />
      )}
      {status === "paused" && (
        <ActionButton {...common} label="Resume" act={act("resume", `${description} is active again.`)} />
      )}
      {(status === "active" || status === "paused") && (
        <ActionButton
          {...common}
          label="Cancel"
          act={act("cancel", `${description} is cancelled.`)}
          confirm={{
            question: `Cancel “${description}”?`,
            text: "It does not run again. A current run continues. This cannot be undone.",
          }}
        />
      )}
    </>
  );
};

const TONES: Readonly<Record<Schedule["status"], Tone>> = {
  active: "good",
  paused: "warn",
  ended: "calm",
  cancelled: "calm",
};

const ScheduleMark = ({ schedule: { status } }: { schedule: Schedule }) => (
  <StateMark tone={TONES[status]} text={status} />
);

/** The runs of one schedule, with links to their traces. */
const ScheduleRuns = ({ scheduleRef, route }: { scheduleRef: string; route: Route }) => {
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

const RUN_TONES: Readonly<Record<string, Tone>> = { answered: "good", failed: "bad" };

const RunMark = ({ run: { state, outcome } }: { run: ScheduleRun }) => {
  if (outcome !== undefined) return <StateMark tone={RUN_TONES[outcome] ?? "calm"} text={outcome} />;
  return <StateMark tone={state === "started" ? "busy" : "warn"} text={state === "started" ? "running" : state} />;
};
