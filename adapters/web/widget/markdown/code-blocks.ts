import type { Texts } from "../texts/texts.ts";

/** The code that was copied last from an answer: its blocks are drawn again when the highlighter arrives. */
const copied = new WeakMap<HTMLElement, string>();

/** Undefined: the language is unknown, or the highlighter is not loaded yet. */
type Highlight = (source: string, lang: string) => readonly (Node | string)[] | undefined;

/** Highlights the code blocks of rendered markdown, and adds a copy button to each. */
export const decorateCode = (node: HTMLElement, texts: Texts, highlight: Highlight): void => {
  for (const code of node.querySelectorAll<HTMLElement>("pre > code")) {
    const { lang } = code.dataset;
    const colored = lang === undefined ? undefined : highlight(code.textContent ?? "", lang);
    if (colored) code.replaceChildren(...colored);
    // Insecure pages have no clipboard.
    if (navigator.clipboard === undefined) continue;
    const block = document.createElement("div");
    const copy = document.createElement("button");
    block.className = "code";
    copy.type = "button";
    copy.className = "pill";
    const source = code.textContent ?? "";
    copy.textContent = copied.get(node) === source ? texts.copied : texts.copy;
    copy.setAttribute("aria-label", texts.copyCode);
    copy.onclick = () =>
      void navigator.clipboard.writeText(source).then(() => {
        copied.set(node, source);
        const shown = [...node.querySelectorAll(".code")].find((each) => each.firstChild?.textContent === source);
        (shown?.lastChild ?? copy).textContent = texts.copied;
      });
    code.parentElement?.replaceWith(block);
    if (code.parentElement) block.append(code.parentElement, copy);
  }
};
