import type { ReplyAction } from "../../../../../core/contract/messages/agent-reply.ts";
import { useWidget } from "../widget-context.ts";

/** The actions of a reply; each button sends a command. */
export const ActionButtons = ({ actions }: { actions: readonly ReplyAction[] }) => {
  const { texts, model } = useWidget();
  if (actions.length === 0) return null;
  return (
    <div class="actions">
      {actions.map(({ name, label, value = "" }) => (
        <button
          type="button"
          class="pill"
          dir="auto"
          key={`${name} ${value}`}
          onClick={() => model.command(name, value)}
        >
          {name === "why" ? texts.why : label}
        </button>
      ))}
    </div>
  );
};
