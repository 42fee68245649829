import type { Schedule } from "../api/admin-api.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { useConsole } from "../state/console-context.ts";

export const ScheduleActions = ({ schedule, done }: { schedule: Schedule; done: () => void }) => {
  const { client } = useConsole();
  const { ref, description, status } = schedule;
  const act = (verb: "run" | "cancel" | "resume", said: string) => async () => {
    await client.post(`schedules/${ref}/${verb}`);
    return said;
  };
  const common = { of: description, done };
  return (
    <>
      {status !== "cancelled" && (
        <ActionButton {...common} label="Run now" act={act("run", `${description} runs now.`)} />
      )}
      {status === "paused" && (
        <ActionButton {...common} label="Resume" act={act("resume", `${description} goes on.`)} />
      )}
      {(status === "active" || status === "paused") && (
        <ActionButton
          {...common}
          label="Cancel"
          act={act("cancel", `${description} is cancelled.`)}
          confirm={{
            question: `Cancel ${description}?`,
            text: "It does not run again. A run that is under way goes on. This cannot be undone.",
          }}
        />
      )}
    </>
  );
};
