import type { Texts } from "../../texts/texts.ts";

/** Adds a copy button to each code block of rendered markdown. */
export const decorateCode = (node: HTMLElement, texts: Texts): void => {
  // Insecure pages have no clipboard.
  if (navigator.clipboard === undefined) return;
  for (const code of node.querySelectorAll("pre > code")) {
    const block = document.createElement("div");
    const copy = document.createElement("button");
    block.className = "code";
    copy.type = "button";
    copy.className = "pill";
    copy.textContent = texts.copy;
    copy.setAttribute("aria-label", texts.copyCode);
    copy.onclick = () =>
      void navigator.clipboard.writeText(code.textContent ?? "").then(() => {
        copy.textContent = texts.copied;
      });
    code.parentElement?.replaceWith(block);
    if (code.parentElement) block.append(code.parentElement, copy);
  }
};
