import type { Shown } from "../../client/transcript.ts";
import { ActionButtons } from "./action-buttons.tsx";
import { AnchorChip } from "./anchor-chip.tsx";
import { clockTime } from "./clock-time.ts";
import { MarkdownText } from "./markdown-text.tsx";
import { ReplyTools } from "./reply-tools.tsx";
import { useWidget } from "./widget-context.ts";

/** What the agent says, with its anchor if it has one, and its buttons. */
export const ReplyBubble = ({ item }: { item: Shown }) => {
  const { texts, locale, model } = useWidget();
  const { id, markdown, anchor, origin, actions = [] } = item;
  const offered =
    anchor === undefined || actions.some(({ name }) => name === "why")
      ? actions
      : [...actions, { name: "why", label: texts.why, value: id }];
  return (
    <>
      <div class="row">
        <div class="bubble" title={clockTime(item.createdAt, model.now(), locale)}>
          {anchor && <AnchorChip anchor={anchor} origin={origin} />}
          <MarkdownText markdown={markdown} />
        </div>
        <ReplyTools item={item} />
      </div>
      <ActionButtons actions={offered} />
    </>
  );
};
