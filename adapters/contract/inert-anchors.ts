/** Signs that are, or look like, the one that an anchor begins with. */
const HOOKS = "↳⤷⮡⮩↪➥➦⮑⮱";
/** Signs that are, or look like, the one between the parts of an anchor. */
const DOTS = "·•∙⋅‧・･ᐧ⸱⸳●";
/** Character references, which markdown takes for the sign itself. */
const REFERENCE = /&(?:#0{0,9}(\d{1,7})|#[xX]0{0,9}([0-9a-fA-F]{1,6})|(middot|centerdot|CenterDot|bull|bullet|rdsh));/g;
const NAMED: Readonly<Record<string, string>> = { bull: "•", bullet: "•", rdsh: "↳" };

const MAY_HAVE_ONE = new RegExp(`[${HOOKS}${DOTS}&]`);
const ANY_HOOK = new RegExp(`[${HOOKS}]`, "g");
const BETWEEN = new RegExp(`[${DOTS}]`);
const LONGEST_TIME = 60;
const ANY_SIGN_BETWEEN = new RegExp(BETWEEN, "g");
const ANY_DOT = new RegExp(` ?[${DOTS}]`, "g");

/** A line as people would see it: without what is invisible or only mark-up. */
const asSeen = (line: string): string =>
  line
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/&#?\w{1,10};/g, " ")
    .replace(/<[^<>]{0,200}>|[*_~`|\\]/g, "")
    .replace(/\s+/g, " ")
    .trim();

/** The line that says when and where, and that of a schedule (O9). */
const ANCHOR_LINES: readonly RegExp[] = [
  new RegExp(`^[^\\p{L}\\p{N}]*started .{1,80} from .{1,80} ?[${DOTS}]`, "iu"),
  new RegExp(`^[^\\p{L}\\p{N}]*scheduled ?[${DOTS}]`, "iu"),
];

/** A caller, its skill and a time in any language (O9). A list loses its dots with it, which does no harm; a sum does not. */
const readsLikeInbound = (seen: string): boolean => {
  const parts = seen.split(BETWEEN).filter((part) => part.trim() !== "");
  const last = parts.at(-1) ?? "";
  return parts.length > 2 && last.length <= LONGEST_TIME && /\p{L}|\p{N}[./-]\p{N}/u.test(last) && !last.includes("=");
};

/**
 * Text that nobody can take for an anchor in its text form (O16): the hook belongs to anchors alone, and a line that
 * reads like a part of one loses its dots. Never longer than before; doing it again changes nothing.
 */
export const inertAnchors = (text: string): string => {
  if (!MAY_HAVE_ONE.test(text)) return text;
  return text.replace(REFERENCE, readReference).replace(ANY_HOOK, "→").split("\n").map(inertLine).join("\n");
};

/**
 * The same for text that comes in pieces, of which no line is known as a whole: its signs are replaced wherever they
 * stand. Exactly as long as before, so that the pieces still fit together.
 */
export const inertSigns = (piece: string): string => {
  if (!MAY_HAVE_ONE.test(piece)) return piece;
  const read = piece.replace(REFERENCE, (whole, ...groups: string[]) =>
    readReference(whole, groups[0], groups[1], groups[2]).padEnd(whole.length),
  );
  return read.replace(ANY_HOOK, "→").replace(ANY_SIGN_BETWEEN, "-");
};

const inertLine = (line: string): string => {
  const seen = asSeen(line);
  const isLikeOne = ANCHOR_LINES.some((form) => form.test(seen)) || readsLikeInbound(seen);
  if (!isLikeOne) return line;
  // The one that begins a line is a bullet of a list.
  const start = line.search(/\S/);
  return line.replace(ANY_DOT, (dot, at: number) => (at <= start ? dot : ","));
};

/** Only the signs in question are read; every other reference stays as it is. */
const readReference = (whole: string, decimal?: string, hex?: string, name?: string): string => {
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  const sign = name === undefined ? codePoint(code) : (NAMED[name] ?? "·");
  return HOOKS.includes(sign) || DOTS.includes(sign) ? sign : whole;
};

const codePoint = (code: number): string => (code > 0x20 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : " ");
