import type { DestinationStream } from "pino";

const LEVELS: Readonly<Record<string, { readonly name: string; readonly colour: number }>> = {
  debug: { name: "DEBUG", colour: 90 },
  info: { name: "INFO ", colour: 32 },
  warn: { name: "WARN ", colour: 33 },
  error: { name: "ERROR", colour: 31 },
};

interface Terminal {
  readonly isTTY?: boolean;
  hasColors?(): boolean;
}

/** JSON lines for programs; on a terminal, lines for a person: time, level, event, then its fields. */
export const logStream = (out: DestinationStream, { isTTY = false, hasColors }: Terminal): DestinationStream => {
  if (!isTTY) return out;
  const hasColours = hasColors?.() ?? false;
  return { write: (line) => void out.write(prettyLine(line, hasColours)) };
};

const prettyLine = (line: string, hasColours: boolean): string => {
  const entry = parsed(line);
  if (entry === undefined) return line;
  const { level, time, msg, pid, ...fields } = entry;
  const styled = (text: string, code: number) => (hasColours && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text);
  const { name, colour } = LEVELS[String(level)] ?? { name: String(level).toUpperCase(), colour: 0 };
  const stacks: string[] = [];
  const shown = Object.entries(fields).map(([key, value]) => {
    const stack = stackIn(value);
    if (stack !== undefined) stacks.push(stack);
    return `${styled(`${printable(key)}=`, 2)}${printable(spelled(value))}`;
  });
  const head = [styled(clockTime(time), 2), styled(name, colour), printable(String(msg ?? "")), ...shown].join(" ");
  return `${[head, ...stacks.map((stack) => styled(stack, 2))].join("\n")}\n`;
};

const parsed = (line: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "object" && entry !== null ? (entry as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};

/** Local time, as the person's clock shows it. */
const clockTime = (time: unknown): string => {
  const at = new Date(String(time));
  if (Number.isNaN(at.getTime())) return String(time);
  const two = (value: number) => String(value).padStart(2, "0");
  const ms = String(at.getMilliseconds()).padStart(3, "0");
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${ms}`;
};

const spelled = (value: unknown): string => {
  if (typeof value === "string") return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  const { stack: _, ...rest } = isObject(value) ? value : {};
  if (stackIn(value) !== undefined) return spelled(rest.message ?? rest.name ?? "error");
  return JSON.stringify(value) ?? "undefined";
};

const stackIn = (value: unknown): string | undefined =>
  isObject(value) && typeof value.stack === "string"
    ? value.stack
        .split("\n")
        .map((line) => `    ${printable(line)}`)
        .join("\n")
    : undefined;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Fields may hold text of platforms: control characters would move the cursor or change colours. */
const printable = (text: string): string => text.replace(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
