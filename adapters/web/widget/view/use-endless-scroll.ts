import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useWidget } from "./widget-context.ts";

/** Older messages are asked for this far before they are scrolled to. */
const AHEAD = "800px";

/** Loads older pages when the top comes near, and keeps what is looked at in its place. */
export const useEndlessScroll = (scroll: RefObject<HTMLElement | null>, top: RefObject<HTMLElement | null>): void => {
  const { model } = useWidget();
  const first = model.entries[0]?.key;
  const before = useRef<{ first: string | undefined; height: number; top: number }>(undefined);
  useEffect(() => {
    if (!scroll.current || !top.current) return;
    const observer = new IntersectionObserver(([seen]) => seen?.isIntersecting && model.loadOlder(), {
      root: scroll.current,
      rootMargin: `${AHEAD} 0px 0px 0px`,
    });
    observer.observe(top.current);
    return () => observer.disconnect();
    // Observed anew after each page: one that was in sight all the time is not told again.
  }, [scroll, top, model, model.before]);
  useLayoutEffect(() => {
    const { current } = scroll;
    if (!current) return;
    const { scrollHeight: height, scrollTop } = current;
    const was = before.current;
    // Browsers do this themselves, but not at the very top.
    if (was && was.first !== first && scrollTop < 1) current.scrollTop = was.top + height - was.height;
    before.current = { first, height: current.scrollHeight, top: current.scrollTop };
  });
};
