import { snippetOf } from "./snippet.ts";
import { useWidget } from "./widget-context.ts";

/** The message that this one answers, in a line that leads to it. */
export const Quote = ({ id }: { id: string }) => {
  const { model, panel, formatter } = useWidget();
  const key = `reply:${id}`;
  const quoted = model.transcript.find(key)?.item;
  if (quoted === undefined || quoted.type === "said") return null;
  return (
    <button type="button" class="quote" dir="auto" onClick={() => panel.set({ soughtKey: key })}>
      {snippetOf(quoted, formatter)}
    </button>
  );
};
