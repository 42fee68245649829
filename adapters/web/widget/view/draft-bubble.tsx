import { useEffect, useRef } from "preact/hooks";
import { GrowingText } from "../markdown/growing-text.ts";
import { useWidget } from "./widget-context.ts";

/** An answer while it is being written. Screen readers hear it once, when it is whole. */
export const DraftBubble = ({ text }: { text: string }) => {
  const { formatter } = useWidget();
  const node = useRef<HTMLDivElement>(null);
  const drawn = useRef<GrowingText>(undefined);
  useEffect(() => {
    if (node.current === null) return;
    drawn.current ??= new GrowingText(node.current, (markdown) => formatter.render(markdown));
    drawn.current.show(text);
  }, [text, formatter]);
  return (
    <div class="drafts">
      <div class="reply">
        <div class="row">
          <div class="bubble">
            <div class="text" ref={node} />
          </div>
        </div>
      </div>
    </div>
  );
};
