import type { ComponentChildren } from "preact";
import { navigate } from "./route.ts";

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

/** A link within the console. Modified clicks, such as "open in a new tab", work as usual. */
export const Link = ({ to, class: look, current = false, children }: LinkProps) => (
  <a
    href={to}
    {...(look !== undefined && { class: look })}
    {...(current && { "aria-current": "page" as const })}
    onClick={(event) => {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      navigate(to);
    }}
  >
    {children}
  </a>
);
