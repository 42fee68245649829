import createDOMPurify from "dompurify";

const TAGS = "a blockquote br code del em hr li ol p pre strong table tbody td th thead tr ul".split(" ");
const purify = createDOMPurify(window);

/** Built for the widget alone: what the page itself may use DOMPurify for is not touched. */
const RULES = {
  ALLOWED_TAGS: TAGS,
  ALLOWED_ATTR: ["href", "start", "align"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  RETURN_DOM_FRAGMENT: true as const,
};

/** The nodes of some HTML with nothing left in them that acts, loads or submits. */
export const safeFragment = (html: string): DocumentFragment => {
  const fragment = purify.sanitize(html, RULES);
  for (const link of fragment.querySelectorAll("a")) {
    // What led somewhere it must not is no link at all.
    if (!link.hasAttribute("href")) link.replaceWith(...link.childNodes);
    link.target = "_blank";
    link.rel = "noopener noreferrer nofollow";
  }
  for (const block of fragment.querySelectorAll<HTMLElement>("p, ul, ol, blockquote, table")) {
    block.dir = "auto";
  }
  // What scrolls sideways can be reached by keyboard.
  for (const wide of fragment.querySelectorAll<HTMLElement>("pre, table")) wide.tabIndex = 0;
  return fragment;
};
