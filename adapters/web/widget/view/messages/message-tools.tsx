import { useState } from "preact/hooks";
import type { Rating } from "../../../client/chat/shown-entries.ts";
import type { Said, Shown } from "../../../client/transcript.ts";
import { snippetOf } from "../../markdown/snippet.ts";
import { Icon, type IconName } from "../icon.tsx";
import { useWidget } from "../widget-context.ts";
import { timeOfDay } from "./time-text.ts";

interface ToolProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly isDisabled?: boolean;
  /** Set for a button that switches. */
  readonly isPressed?: boolean;
}

export const Tool = ({ icon, label, onClick, isDisabled = false, isPressed }: ToolProps) => (
  <button
    type="button"
    class="tool"
    aria-label={label}
    title={label}
    disabled={isDisabled}
    aria-pressed={isPressed}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
);

const CopyTool = ({ text }: { text: string }) => {
  const { texts } = useWidget();
  const [isCopied, setCopied] = useState(false);
  // Insecure pages have no clipboard.
  if (navigator.clipboard === undefined) return null;
  const copy = () => void navigator.clipboard.writeText(text).then(...[true, false].map((is) => () => setCopied(is)));
  return <Tool icon={isCopied ? "check" : "copy"} label={isCopied ? texts.copied : texts.copy} onClick={copy} />;
};

const Time = ({ at }: { at: string }) => {
  const { locale } = useWidget();
  return (
    <time dateTime={at} title={new Date(at).toLocaleString(locale)}>
      {timeOfDay(at, locale)}
    </time>
  );
};

interface ReplyMetaProps {
  readonly item: Shown;
  readonly canRegenerate: boolean;
  readonly rating: Rating | undefined;
}

/** Below a reply: its time and, on hover and focus, its buttons. */
export const ReplyMeta = ({ item, canRegenerate, rating }: ReplyMetaProps) => {
  const { texts, model, panel, formatter } = useWidget();
  const { id, markdown, correlationId = "" } = item;
  const answer = () => panel.set({ editing: undefined, answering: { id, about: snippetOf(item, formatter) } });
  const rate = (next: Rating) => {
    panel.set({ commentOn: next === "down" && rating !== "down" ? id : undefined });
    model.rate(id, next);
  };
  return (
    <div class="meta">
      <Time at={item.createdAt} />
      <span class={`tools${rating === undefined ? "" : " rated"}`}>
        <Tool icon="reply" label={texts.reply} onClick={answer} />
        {markdown.trim() !== "" && <CopyTool text={markdown} />}
        {canRegenerate && <Tool icon="again" label={texts.regenerate} onClick={() => model.revise(correlationId)} />}
        {item.kind === "final" && item.outcome !== "failed" && (
          <>
            <Tool icon="up-thumb" label={texts.good} isPressed={rating === "up"} onClick={() => rate("up")} />
            <Tool icon="down-thumb" label={texts.bad} isPressed={rating === "down"} onClick={() => rate("down")} />
          </>
        )}
      </span>
    </div>
  );
};

/** Below an own message: its time, its buttons, and the way to its other versions. */
export const SaidMeta = ({ item, version }: { item: Said; version: string | undefined }) => {
  const { texts, panel, lazy } = useWidget();
  const VersionSwitch = version === undefined ? undefined : lazy.views?.VersionSwitch;
  return (
    <div class="meta">
      <span class="tools">
        {item.text !== "" && <CopyTool text={item.text} />}
        <Tool icon="compose" label={texts.edit} onClick={() => panel.set({ answering: undefined, editing: item })} />
      </span>
      {VersionSwitch && <VersionSwitch id={item.id} />}
      <Time at={item.createdAt} />
    </div>
  );
};
