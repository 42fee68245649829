import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface PageFrameProps {
  readonly title: string;
  /** The purpose of the page, in a sentence. */
  readonly about?: ComponentChildren;
  /** Actions beside the title. */
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page with its title. The title gets the focus, so that keyboard and screen reader start at the top. */
export const PageFrame = ({ title, about, tools, children }: PageFrameProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Mooring console`;
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [title]);
  return (
    <main id="content">
      <header class="page-head">
        <div>
          <h1 tabIndex={-1} ref={heading}>
            {title}
          </h1>
          {about !== undefined && <p class="faint">{about}</p>}
        </div>
        {tools !== undefined && <div class="tools">{tools}</div>}
      </header>
      {children}
    </main>
  );
};

/** A ring and a rope. */
export const Logo = () => (
  <svg class="logo" viewBox="0 0 24 24" aria-hidden="true">
    <path d="M12 22V8M5 12H2a10 10 0 0 0 20 0h-3M12 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6z" />
  </svg>
);
