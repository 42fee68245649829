import { element } from "./dom.ts";
import { elapsedText } from "./elapsed-text.ts";

/** How long something takes or took. It is kept fresh by `tickElapsed` until it has ended. */
export const drawElapsed = (startedAt: string, endedAt: string | undefined): HTMLElement => {
  const span = element("span", { class: "elapsed", "data-since": startedAt });
  if (endedAt !== undefined) span.dataset.until = endedAt;
  write(span);
  return span;
};

/** Writes every duration below the node anew. */
export const tickElapsed = (root: ParentNode): void => {
  for (const span of root.querySelectorAll<HTMLElement>("[data-since]:not([data-until])")) write(span);
};

const write = (span: HTMLElement): void => {
  const { since = "", until } = span.dataset;
  const end = until === undefined ? Date.now() : Date.parse(until);
  span.textContent = elapsedText(end - Date.parse(since));
};
