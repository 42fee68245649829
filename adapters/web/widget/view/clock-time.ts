/** "21:14", with the date if it was not today. */
export const clockTime = (at: string, now: number, locale: string): string => {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date(now).toDateString();
  return new Intl.DateTimeFormat(locale, {
    timeStyle: "short",
    ...(!isToday && { dateStyle: "medium" }),
  }).format(date);
};
