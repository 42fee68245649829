import type { AnswerTo } from "../../../../admin-api/index.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { useConsole } from "../../state/console-context.ts";

/** Reads the configuration of the gateway that answers again, as SIGHUP does; for platform admins. */
export const ReloadConfiguration = ({ done }: { done: () => void }) => {
  const { client, me } = useConsole();
  if (me.role !== "platform_admin") return null;
  return (
    <ActionButton
      label="Reload"
      of="configuration"
      act={async () => describeReload(await client.post("configuration/reload", {}))}
      done={done}
      confirm={{
        question: "Reload the configuration?",
        text: (
          <>
            <p>
              The gateway that serves this page reads its configuration and its secrets again. Channels and agents whose
              settings have changed restart. If the configuration is invalid, nothing changes.
            </p>
            <p class="faint">
              Other processes keep theirs: send them the signal <code>SIGHUP</code>.
            </p>
          </>
        ),
      }}
    />
  );
};

/** The result of a reload in a sentence or two. */
export const describeReload = ({ applied, restarted, needsRestart }: AnswerTo<"POST configuration/reload">): string => {
  const changes = [
    ...(applied.length > 0 ? [`Applied: ${applied.join(", ")}.`] : []),
    ...(restarted.length > 0 ? [`Restarted: ${restarted.join(", ")}.`] : []),
    ...(needsRestart.length > 0 ? [`These need a restart of the process: ${needsRestart.join(", ")}.`] : []),
  ];
  return changes.length > 0 ? changes.join(" ") : "The configuration has not changed.";
};
