import type { Subtask } from "../../../admin-api/index.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { AgentChoice, Choice } from "../parts/choice.tsx";
import { PageFrame } from "../parts/page-frame.tsx";
import { PagedList } from "../parts/paged-list.tsx";
import { Row } from "../parts/row.tsx";
import { When } from "../parts/when.tsx";
import { addressOf, Link, type Route } from "../route.tsx";
import { useConsole } from "../state/console-context.ts";
import { useAnswer } from "../state/use-answer.ts";
import { SubtaskMark } from "./outcomes/outcome-mark.tsx";

const REFRESH_MS = 10_000;

export const SubtasksPage = ({ route }: { route: Route }) => {
  const answer = useAnswer("subtasks", route.query, REFRESH_MS);
  return (
    <PageFrame title="Subtasks" about="Work that the agents have delegated.">
      <div class="filters">
        <Choice
          label="Which subtasks"
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
        name="Subtasks"
        route={route}
        answer={answer}
        empty={{ title: "No open subtasks.", text: "Subtasks are listed here while they are pending or running." }}
      >
        {(subtask) => (
          <Row
            key={subtask.ref}
            title={<Link to={addressOf("trace", subtask.id, { agent: subtask.agent })}>{subtask.name}</Link>}
            state={<SubtaskMark subtask={subtask} />}
            note={subtask.note}
            actions={<Cancel subtask={subtask} done={answer.reload} />}
            facts={[
              ["Request", subtask.origin.promptSummary],
              ["Requested by", `${subtask.asker.name} on ${subtask.origin.channel}`],
              ["Agent", subtask.agent],
              ["Kind", subtask.agentType],
              ["Started", <When key="began" at={subtask.startedAt ?? subtask.createdAt} />],
              ["Subtask", <code key="id">{subtask.id}</code>],
            ]}
          />
        )}
      </PagedList>
    </PageFrame>
  );
};

const Cancel = ({ subtask, done }: { subtask: Subtask; done: () => void }) => {
  const { client } = useConsole();
  const { ref, name, status } = subtask;
  if (status !== "pending" && status !== "running") return null;
  const cancel = async () => {
    await client.post("subtasks/:ref/cancel", { ref });
    return `${name} is cancelled.`;
  };
  return (
    <ActionButton
      label="Cancel"
      of={name}
      act={cancel}
      done={done}
      confirm={{
        question: `Cancel “${name}”?`,
        text: "It stops, and the requester is notified. This cannot be undone.",
      }}
    />
  );
};
