/** How long a provider asks us to wait: "retry-after-ms", or "retry-after" as seconds or as a date. */
export const retryAfterMs = (headers: Readonly<Record<string, string>>, now: number): number | undefined => {
  const ms = positiveNumber(headers["retry-after-ms"]);
  if (ms !== undefined) return Math.ceil(ms);
  const value = headers["retry-after"];
  const seconds = positiveNumber(value);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  // A date names its month; without that check Date.parse would read "-1" as a year.
  const date = value !== undefined && /[a-z]{3}/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
};

const positiveNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
