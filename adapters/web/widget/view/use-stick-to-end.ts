import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useWidget } from "./widget-context.ts";

/** Closer than this counts as being there. */
const NEAR_PX = 60;

/** Stays at the end while the conversation grows, unless somebody has scrolled away from it. */
export const useStickToEnd = (scroll: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>) => {
  const { model, panel } = useWidget();
  const sticks = useRef(true);
  const [isAtEnd, setAtEnd] = useState(true);
  const goToEnd = useCallback(() => {
    const { current } = scroll;
    if (current) current.scrollTop = current.scrollHeight;
  }, [scroll]);
  useEffect(() => {
    const { current } = scroll;
    if (!current || !content.current) return;
    const look = () => {
      const { scrollTop, scrollHeight, clientHeight } = current;
      sticks.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
      setAtEnd(sticks.current);
    };
    current.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(() => sticks.current && goToEnd());
    observer.observe(content.current);
    observer.observe(current);
    return () => {
      current.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, [scroll, content, goToEnd]);
  // Who says something wants to see it.
  const lastSaid = model.outgoing.at(-1)?.frame.id;
  useLayoutEffect(goToEnd, [lastSaid, panel.isOpen, goToEnd]);
  return { isAtEnd, goToEnd };
};
