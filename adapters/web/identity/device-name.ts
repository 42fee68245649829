/** The first match counts: most browsers also name those that they are compatible with. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bmooring-chat\b/, "Terminal"],
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Headless)?(Chrome|Chromium)\/|\bCriOS\//, "Chrome"],
  [/\bVersion\/[\d.]+.* Safari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/**
 * A readable name of a visitor's device, such as "Chrome on Linux". It contains only words of the lists above, never text
 * of the client, because other people see it when they link accounts.
 */
export const deviceName = (userAgent = ""): string => {
  const read = userAgent.slice(0, MAX_READ_CHARS);
  const named = (list: typeof BROWSERS) => list.find(([pattern]) => pattern.test(read))?.[1];
  const browser = named(BROWSERS) ?? "Browser";
  const system = named(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
};

const MAX_READ_CHARS = 500;
