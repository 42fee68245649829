import { useEffect, useRef } from "preact/hooks";
import { useWidget } from "../widget-context.ts";

/** Drawing may take this part of the time, however long the text has become. */
const SHARE = 4;

/** Draws text that is still being written: once a frame at most, and less often the longer it takes. */
class GrowingText {
  readonly #node: HTMLElement;
  readonly #render: (text: string) => Node;
  #text = "";
  #isDue = false;
  #restMs = 0;

  constructor(node: HTMLElement, render: (text: string) => Node) {
    this.#node = node;
    this.#render = render;
  }

  show(text: string): void {
    this.#text = text;
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => requestAnimationFrame(() => this.#draw()), this.#restMs);
  }

  #draw(): void {
    this.#isDue = false;
    const startedAt = performance.now();
    this.#node.replaceChildren(this.#render(this.#text));
    this.#restMs = (performance.now() - startedAt) * SHARE;
  }
}

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
