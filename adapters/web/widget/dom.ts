/** An element with its attributes and children: text goes in as text, never as mark-up. */
export const element = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

/** A drawing in a 24 by 24 field, hidden from screen readers. */
export const icon = (path: string): SVGSVGElement => {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const drawn = document.createElementNS(namespace, "path");
  drawn.setAttribute("d", path);
  svg.append(drawn);
  return svg;
};
