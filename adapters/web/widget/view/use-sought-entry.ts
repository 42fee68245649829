import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { useWidget } from "./widget-context.ts";

/** How long an entry that was looked for is pointed out. */
const POINTED_OUT_MS = 2_000;

/** Scrolls to the entry that somebody looks for, and fetches older pages until it is there. */
export const useSoughtEntry = (scroll: RefObject<HTMLElement | null>): void => {
  const { model, panel } = useWidget();
  const { soughtKey } = panel;
  const isHere = soughtKey !== undefined && model.transcript.find(soughtKey) !== undefined;
  useEffect(() => {
    if (soughtKey === undefined) return;
    if (!isHere && model.before === "more") model.loadOlder();
    if (!isHere && (model.before === "more" || model.before === "loading")) return;
    const found = [...(scroll.current?.querySelectorAll<HTMLElement>("[data-key]") ?? [])].find(
      ({ dataset }) => dataset.key === soughtKey,
    );
    found?.scrollIntoView({ block: "center" });
    const timer = setTimeout(() => panel.set({ soughtKey: undefined }), POINTED_OUT_MS);
    return () => clearTimeout(timer);
  }, [scroll, soughtKey, isHere, model, model.before, panel]);
};
