import type { ComponentChildren } from "preact";

/** There is nothing, and why that is, or what would change it. */
export const Empty = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div class="empty">
    <p class="strong">{title}</p>
    <p class="faint">{children}</p>
  </div>
);
