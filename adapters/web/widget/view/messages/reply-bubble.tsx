import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Shown } from "../../../client/transcript.ts";
import { MAX_MARKDOWN_CHARS } from "../../markdown/formatter.ts";
import { snippetOf } from "../../markdown/snippet.ts";
import { Icon } from "../icon.tsx";
import { useWidget } from "../widget-context.ts";
import { ActionButtons } from "./action-buttons.tsx";
import { AnchorChip } from "./anchor-chip.tsx";
import { SentFile } from "./file-chip.tsx";
import { clockTime } from "./time-text.ts";

/** A reply of the agent with its anchor and actions. */
export const ReplyBubble = ({ item }: { item: Shown }) => {
  const { texts, locale, model } = useWidget();
  const { id, markdown, anchor, origin, actions = [], files = [] } = item;
  const offered =
    anchor === undefined || actions.some(({ name }) => name === "why")
      ? actions
      : [...actions, { name: "why", label: texts.why, value: id }];
  return (
    <>
      <div class="row">
        <div class="bubble" title={clockTime(item.createdAt, model.now(), locale)}>
          {anchor && <AnchorChip anchor={anchor} origin={origin} />}
          {markdown.trim() !== "" && <MarkdownText markdown={markdown} />}
          {files.length > 0 && (
            <div class="files">
              {files.map((file) => (
                <SentFile key={file.id} file={file} />
              ))}
            </div>
          )}
        </div>
        <ReplyTools item={item} />
      </div>
      <ActionButtons actions={offered} />
    </>
  );
};

/** Shown part of a text that is too long to format, until the person expands it. */
const MAX_PREVIEW_CHARS = 4_000;

const MarkdownText = ({ markdown }: { markdown: string }) => {
  const { texts, formatter } = useWidget();
  const node = useRef<HTMLDivElement>(null);
  const [isWhole, setWhole] = useState(markdown.length <= MAX_MARKDOWN_CHARS);
  const shown = isWhole ? markdown : `${markdown.slice(0, MAX_PREVIEW_CHARS)}…`;
  // A dependency: the text is rendered again once the formatter is ready.
  const { isReady } = formatter;
  useLayoutEffect(() => {
    node.current?.replaceChildren(formatter.render(shown));
  }, [shown, formatter, isReady]);
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

/** Reply and copy buttons, visible on hover and focus. */
const ReplyTools = ({ item }: { item: Shown }) => {
  const { texts, panel, formatter } = useWidget();
  const { id, markdown } = item;
  const answer = () => panel.set({ answering: { id, about: snippetOf(item, formatter) } });
  return (
    <div class="tools">
      <button type="button" class="tool" aria-label={texts.reply} title={texts.reply} onClick={answer}>
        <Icon name="reply" />
      </button>
      {/* Insecure pages have no clipboard. */}
      {navigator.clipboard !== undefined && <CopyButton text={markdown} />}
    </div>
  );
};

const CopyButton = ({ text }: { text: string }) => {
  const { texts } = useWidget();
  const [isCopied, setCopied] = useState(false);
  const label = isCopied ? texts.copied : texts.copy;
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <button type="button" class="tool" aria-label={label} title={label} onClick={() => void copy()}>
      <Icon name={isCopied ? "check" : "copy"} />
    </button>
  );
};
