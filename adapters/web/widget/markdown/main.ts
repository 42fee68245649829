import { renderMarkdown } from "./render-markdown.ts";

declare global {
  interface Window {
    mooringMarkdown?: typeof renderMarkdown;
  }
}

// The widget takes it from here; it may be loaded twice, and is the same each time.
window.mooringMarkdown = renderMarkdown;
