const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** "21:14:05", with the date as its title. */
export const ClockTime = ({ at }: { at: string }) => (
  <time dateTime={at} title={full.format(Date.parse(at))}>
    {clock.format(Date.parse(at))}
  </time>
);
