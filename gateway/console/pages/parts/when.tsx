import { relativeTime } from "../../../../core/contract/relative-time.ts";
import { useNow } from "../state/use-now.ts";

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const short = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** How long ago something was; a time to come as it stands in the calendar. The exact time is its title. */
export const When = ({ at }: { at: string | undefined | null }) => {
  const now = useNow();
  if (at === undefined || at === null) return <span class="faint">never</span>;
  const then = Date.parse(at);
  const isToCome = then > now + 5_000;
  return (
    <time dateTime={at} title={full.format(then)}>
      {isToCome ? short.format(then) : relativeTime(then, now, { locale: "en", timeZone })}
    </time>
  );
};
