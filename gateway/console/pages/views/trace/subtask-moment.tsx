import type { Trace } from "../../../../admin-api/index.ts";
import { ClockTime } from "../../parts/when.tsx";
import { SubtaskMark, subtaskTone } from "../outcomes/subtask-mark.tsx";
import { Hops } from "./hops.tsx";
import { Moment } from "./moment.tsx";
import { Steps } from "./steps.tsx";

export const SubtaskMoment = ({ subtask, hops }: { subtask: Trace["subtasks"][number]; hops: Trace["hops"] }) => (
  <Moment
    tone={subtaskTone(subtask)}
    title={subtask.name}
    state={<SubtaskMark subtask={subtask} />}
    at={<ClockTime at={subtask.startedAt ?? subtask.createdAt} />}
  >
    <p class="faint small">
      <code>{subtask.id}</code>
      {subtask.parent !== undefined && (
        <>
          {" "}
          of <code>{subtask.parent}</code>
        </>
      )}
      {subtask.note !== undefined && ` · ${subtask.note}`}
    </p>
    <Steps steps={subtask.steps} />
    <Hops hops={hops.filter((hop) => hop.subtask === subtask.id)} />
  </Moment>
);
