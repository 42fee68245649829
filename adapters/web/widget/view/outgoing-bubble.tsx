import type { Outgoing } from "../../client/outgoing-queue.ts";
import { Icon } from "./icon.tsx";
import { SaidBubble } from "./said-bubble.tsx";
import { useWidget } from "./widget-context.ts";

/** What the gateway has not accepted yet, or will not. */
export const OutgoingBubble = ({ outgoing: { frame, attachments, failure } }: { outgoing: Outgoing }) => {
  const { texts, model } = useWidget();
  const isCommand = frame.type === "command";
  const item = isCommand
    ? { text: `/${frame.name} ${frame.args ?? ""}`.trimEnd(), command: { name: frame.name, args: frame.args ?? "" } }
    : { text: frame.text, replyTo: frame.replyTo, attachments: attachments?.slice() };
  return (
    <div class={`said ${isCommand ? "command" : ""} ${failure === undefined ? "pending" : "failed"}`}>
      <SaidBubble item={item} />
      {failure === undefined ? (
        <span class="state">
          <Icon name="clock" />
          <span class={model.isHeld ? "" : "sr"}>{texts.waiting}</span>
        </span>
      ) : (
        <div class="trouble">
          <span role="alert">{texts.notSent(failure)}</span>
          <button type="button" class="pill" onClick={() => model.retry(frame.id)}>
            {texts.retry}
          </button>
          <button type="button" class="pill" onClick={() => model.discard(frame.id)}>
            {texts.discard}
          </button>
        </div>
      )}
    </div>
  );
};
