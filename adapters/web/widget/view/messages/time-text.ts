/** "21:14", with the date unless it is today. */
export const clockTime = (at: string, now: number, locale: string): string => {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date(now).toDateString();
  return new Intl.DateTimeFormat(locale, {
    timeStyle: "short",
    ...(!isToday && { dateStyle: "medium" }),
  }).format(date);
};

/** "12 s", "2 min 5 s", "1 h 4 min". */
export const elapsedText = (ms: number): string => {
  // The browser's clock may be behind the gateway's.
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds} s`;
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};
