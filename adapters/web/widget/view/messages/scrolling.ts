import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useWidget } from "../widget-context.ts";

/** Within this distance the list counts as scrolled to the end. */
const NEAR_PX = 60;

/** Keeps the list scrolled to the end, unless the person has scrolled up. */
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
  // A new own message scrolls to the end.
  const lastSaid = model.outgoing.at(-1)?.frame.id;
  useLayoutEffect(goToEnd, [lastSaid, panel.isOpen, goToEnd]);
  return { isAtEnd, goToEnd };
};

/** Distance from the top at which older messages are loaded. */
const PRELOAD_MARGIN = "800px";

/** Loads older pages near the top, and keeps the visible entries in place. */
export const useEndlessScroll = (scroll: RefObject<HTMLElement | null>, top: RefObject<HTMLElement | null>): void => {
  const { model } = useWidget();
  const first = model.entries[0]?.key;
  const before = useRef<{ first: string | undefined; height: number; top: number }>(undefined);
  useEffect(() => {
    if (!scroll.current || !top.current) return;
    const observer = new IntersectionObserver(([seen]) => seen?.isIntersecting && model.loadOlder(), {
      root: scroll.current,
      rootMargin: `${PRELOAD_MARGIN} 0px 0px 0px`,
    });
    observer.observe(top.current);
    return () => observer.disconnect();
    // Observed again after each page, because an element that stays visible triggers no further event.
  }, [scroll, top, model, model.before]);
  useLayoutEffect(() => {
    const { current } = scroll;
    if (!current) return;
    const { scrollHeight: height, scrollTop } = current;
    const was = before.current;
    // Browsers anchor the scroll position themselves, except at the very top.
    if (was && was.first !== first && scrollTop < 1) current.scrollTop = was.top + height - was.height;
    before.current = { first, height: current.scrollHeight, top: current.scrollTop };
  });
};

/** How long the found entry is highlighted. */
const HIGHLIGHT_MS = 2_000;

/** Scrolls to the sought entry, and loads older pages until it is found. */
export const useHighlightedEntry = (scroll: RefObject<HTMLElement | null>): void => {
  const { model, panel } = useWidget();
  const { highlightedKey } = panel;
  const isHere = highlightedKey !== undefined && model.transcript.find(highlightedKey) !== undefined;
  useEffect(() => {
    if (highlightedKey === undefined) return;
    if (!isHere && model.before === "more") model.loadOlder();
    if (!isHere && (model.before === "more" || model.before === "loading")) return;
    const found = [...(scroll.current?.querySelectorAll<HTMLElement>("[data-key]") ?? [])].find(
      ({ dataset }) => dataset.key === highlightedKey,
    );
    found?.scrollIntoView({ block: "center" });
    const timer = setTimeout(() => panel.set({ highlightedKey: undefined }), HIGHLIGHT_MS);
    return () => clearTimeout(timer);
  }, [scroll, highlightedKey, isHere, model, model.before, panel]);
};
