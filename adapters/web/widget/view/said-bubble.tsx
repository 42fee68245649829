import type { Said } from "../../client/transcript.ts";
import { AttachmentChip } from "./attachment-chip.tsx";
import { Quote } from "./quote.tsx";
import { useWidget } from "./widget-context.ts";

/** What the person said, in this tab or another. */
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
      {attachments.length > 0 && (
        <div class="files">
          {attachments.map((attachment) => (
            <AttachmentChip key={attachment.id} attachment={attachment} />
          ))}
        </div>
      )}
    </>
  );
};

/** A button that was pressed reads as the button did. */
const CommandText = ({ command, text }: { command: NonNullable<Said["command"]>; text: string }) => {
  const { texts, model } = useWidget();
  const name = command.name === "cancel" ? model.nameOfWork(command.args) : undefined;
  if (name !== undefined) return <>{texts.cancelled(name)}</>;
  return <>{command.name === "why" && command.args !== "" ? texts.why : text}</>;
};
