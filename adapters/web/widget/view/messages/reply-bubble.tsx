import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Rating } from "../../../client/chat/shown-entries.ts";
import type { Shown } from "../../../client/transcript.ts";
import { MAX_MARKDOWN_CHARS } from "../../markdown/formatter.ts";
import { useWidget } from "../widget-context.ts";
import { ActionButtons } from "./action-buttons.tsx";
import { AnchorChip } from "./anchor-chip.tsx";
import { Files } from "./files.tsx";
import { ReplyMeta } from "./message-tools.tsx";

interface ReplyProps {
  readonly item: Shown;
  readonly canRegenerate?: boolean;
  readonly rating?: Rating | undefined;
  /** The form for a comment on the rating is open. */
  readonly isCommented?: boolean;
}

/** A reply of the agent with its anchor and actions. */
export const ReplyBubble = ({ item, canRegenerate = false, rating, isCommented = false }: ReplyProps) => {
  const { texts, lazy } = useWidget();
  const Feedback = isCommented ? lazy.views?.FeedbackForm : undefined;
  const { id, markdown, anchor, origin, actions = [], files = [] } = item;
  const offered =
    anchor === undefined || actions.some(({ name }) => name === "why")
      ? actions
      : [...actions, { name: "why", label: texts.why, value: id }];
  return (
    <>
      <div class="row">
        <div class="bubble">
          {anchor && <AnchorChip anchor={anchor} origin={origin} />}
          {markdown.trim() !== "" && <MarkdownText markdown={markdown} />}
          <Files files={files} areSent />
        </div>
      </div>
      <ReplyMeta item={item} canRegenerate={canRegenerate} rating={rating} />
      {Feedback && <Feedback id={id} />}
      <ActionButtons actions={offered} />
    </>
  );
};

/** Shown part of a text that is too long to format, until the person expands it. */
const MAX_PREVIEW_CHARS = 4_000;

const MarkdownText = ({ markdown }: { markdown: string }) => {
  const { texts, formatter, lazy } = useWidget();
  const node = useRef<HTMLDivElement>(null);
  const [isWhole, setWhole] = useState(markdown.length <= MAX_MARKDOWN_CHARS);
  const shown = isWhole ? markdown : `${markdown.slice(0, MAX_PREVIEW_CHARS)}…`;
  // A dependency: the text is rendered again once the formatter is ready.
  const { isReady } = formatter;
  const isHighlighted = window.mooringMore !== undefined;
  useLayoutEffect(() => {
    if (node.current === null) return;
    node.current.replaceChildren(formatter.render(shown));
    window.mooringMarkdown?.decorateCode(node.current, texts, (...code) => lazy.views?.highlight(...code));
  }, [shown, formatter, isReady, isHighlighted, texts, lazy]);
  return (
    <>
      <div class="text" ref={node} />
      {!isWhole && (
        <button type="button" class="pill" onClick={() => setWhole(true)}>
          {texts.showAll}
        </button>
      )}
    </>
  );
};
