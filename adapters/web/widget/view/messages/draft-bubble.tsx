import { useEffect, useRef } from "preact/hooks";
import { useWidget } from "../widget-context.ts";

/** The pause after rendering, as a multiple of the rendering time. */
const PAUSE_FACTOR = 4;

/** Renders streaming text at most once a frame, and less often if rendering is slow. */
class GrowingText {
  readonly #node: HTMLElement;
  readonly #render: (text: string) => Node;
  #text = "";
  #isDue = false;
  #pauseMs = 0;

  constructor(node: HTMLElement, render: (text: string) => Node) {
    this.#node = node;
    this.#render = render;
  }

  show(text: string): void {
    this.#text = text;
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => requestAnimationFrame(() => this.#renderNow()), this.#pauseMs);
  }

  #renderNow(): void {
    this.#isDue = false;
    const startedAt = performance.now();
    this.#node.replaceChildren(this.#render(this.#text));
    this.#pauseMs = (performance.now() - startedAt) * PAUSE_FACTOR;
  }
}

/** A streaming answer. Screen readers get it once, when it is complete. */
export const DraftBubble = ({ text }: { text: string }) => {
  const { formatter } = useWidget();
  const node = useRef<HTMLDivElement>(null);
  const growing = useRef<GrowingText>(undefined);
  useEffect(() => {
    if (node.current === null) return;
    growing.current ??= new GrowingText(node.current, (markdown) => formatter.render(markdown));
    growing.current.show(text);
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
