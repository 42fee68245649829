import { relativeTime } from "../../../../core/contract/relative-time.ts";
import { useNow } from "./use-now.ts";
import { useWidget } from "./widget-context.ts";

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

/** How long ago something was, kept fresh (O10). */
export const RelativeTime = ({ at }: { at: string }) => {
  const { locale } = useWidget();
  const now = useNow(30_000);
  const then = Date.parse(at);
  return (
    <time dateTime={at} title={new Date(then).toLocaleString(locale)}>
      {relativeTime(then, now, { locale, timeZone })}
    </time>
  );
};
