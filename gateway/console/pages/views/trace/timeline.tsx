import type { Trace } from "../../../../admin-api/index.ts";
import { ClockTime } from "../../parts/when.tsx";
import { Moment } from "./moment.tsx";
import { TurnMoment } from "./turn-moment.tsx";

/** From the intake to the last delivery, in chronological order. */
export const Timeline = ({ trace }: { trace: Trace }) => {
  const { origin, asker, turns, subtasks, hops } = trace;
  return (
    <ol class="timeline" aria-label="Timeline">
      <Moment tone="good" title="Received" at={<ClockTime at={origin.startedAt} />}>
        <p class="faint">
          From {asker.name} on {origin.channel}
        </p>
      </Moment>
      {turns.map((turn) => (
        <TurnMoment
          key={turn.turnId}
          turn={turn}
          isOther={turn.agent !== trace.agent}
          subtasks={subtasks.filter(({ turnId }) => turnId === turn.turnId)}
          hops={hops}
        />
      ))}
    </ol>
  );
};
