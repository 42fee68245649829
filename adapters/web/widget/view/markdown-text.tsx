import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { LONGEST_MARKDOWN } from "../markdown/formatter.ts";
import { useWidget } from "./widget-context.ts";

/** What is shown of a text that is too long to be taken apart, until somebody wants all of it. */
const BEGINNING = 4_000;

export const MarkdownText = ({ markdown }: { markdown: string }) => {
  const { texts, formatter } = useWidget();
  const node = useRef<HTMLDivElement>(null);
  const [isWhole, setWhole] = useState(markdown.length <= LONGEST_MARKDOWN);
  const shown = isWhole ? markdown : `${markdown.slice(0, BEGINNING)}…`;
  // Once it is ready, it draws the same text better.
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
