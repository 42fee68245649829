import type { Outgoing } from "../../../client/outgoing-queue.ts";
import type { Said } from "../../../client/transcript.ts";
import { snippetOf } from "../../markdown/snippet.ts";
import { Icon } from "../icon.tsx";
import { useWidget } from "../widget-context.ts";
import { Files } from "./files.tsx";

/** A message of the person, from this or another tab. */
export const SaidBubble = ({ item }: { item: Pick<Said, "text" | "command" | "replyTo" | "attachments"> }) => {
  const { text, command, replyTo, attachments = [] } = item;
  return (
    <>
      {replyTo !== undefined && <Quote id={replyTo} />}
      {text !== "" && (
        <div class="bubble" dir="auto">
          {command === undefined ? text : <CommandText command={command} text={text} />}
        </div>
      )}
      <Files files={attachments} />
    </>
  );
};

/** A command from a button shows the label of the button. */
const CommandText = ({ command, text }: { command: NonNullable<Said["command"]>; text: string }) => {
  const { texts, model } = useWidget();
  const name = command.name === "cancel" ? model.nameOfWork(command.args) : undefined;
  if (name !== undefined) return <>{texts.cancelled(name)}</>;
  return <>{command.name === "why" && command.args !== "" ? texts.why : text}</>;
};

/** A snippet of the message that this one answers; a click scrolls to it. */
const Quote = ({ id }: { id: string }) => {
  const { model, panel, formatter } = useWidget();
  const key = `reply:${id}`;
  const quoted = model.transcript.find(key)?.item;
  if (quoted === undefined || quoted.type === "said") return null;
  return (
    <button type="button" class="quote" dir="auto" onClick={() => panel.set({ highlightedKey: key })}>
      {snippetOf(quoted, formatter)}
    </button>
  );
};

/** A message that is not accepted yet, or was refused. */
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
        <div class="send-failure">
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
