/** Text without formatting. */
export const plainFragment = (text: string): DocumentFragment => {
  const fragment = document.createDocumentFragment();
  const block = document.createElement("p");
  block.className = "plain";
  block.dir = "auto";
  block.textContent = text;
  fragment.append(block);
  return fragment;
};
