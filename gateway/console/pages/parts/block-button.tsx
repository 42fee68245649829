import { useConsole } from "../state/console-context.ts";
import { ActionButton } from "./action-button.tsx";

interface BlockButtonProps {
  readonly channel: string;
  readonly accountId: string;
  readonly name: string;
  readonly label?: string;
  readonly done: () => void;
}

/** Blocks an account after a confirmation. */
export const BlockButton = ({ channel, accountId, name, label = "Block", done }: BlockButtonProps) => {
  const { client } = useConsole();
  const block = async () => {
    await client.post("blocks", {}, { channel, accountId });
    return `${name} on ${channel} is blocked.`;
  };
  return (
    <ActionButton
      label={label}
      of={`${name} on ${channel}`}
      act={block}
      done={done}
      confirm={{
        question: `Block ${name} on ${channel}?`,
        text: "The account gets one refusal and then no answer. Its running work and its schedules stop. You can unblock it under Blocked accounts.",
      }}
    />
  );
};
