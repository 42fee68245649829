import { LANGUAGES } from "../../../core/contract/texts/texts.ts";

/** The sign that begins an anchor, and its lookalikes. */
const HOOKS = "↳⤷⮡⮩↪➥➦⮑⮱";
/** The sign between the parts of an anchor, and its lookalikes. */
const DOTS = "·\u0387•∙⋅‧・･ᐧ⸱⸳●";
/** The names of those signs in character references, which markdown decodes to the sign itself. */
const NAMED: Readonly<Record<string, string>> = {
  rdsh: "↳",
  rdca: "⤷",
  rarrhk: "↪",
  hookrightarrow: "↪",
  middot: "·",
  centerdot: "·",
  CenterDot: "·",
  bull: "•",
  bullet: "•",
  sdot: "⋅",
};
const REFERENCE = /&(?:#0{0,9}(\d{1,7})|#[xX]0{0,9}([0-9a-fA-F]{1,6})|(\w{1,31}));/g;
/** Names of characters that show nothing. */
const INVISIBLE =
  /&(?:shy|zwn?j|[lr]rm|ZeroWidthSpace|Negative(?:VeryThin|Thin|Medium|Thick)Space|NoBreak|af|ApplyFunction|it|InvisibleTimes|ic|InvisibleComma);/g;

const MAY_HAVE_ONE = new RegExp(`[${HOOKS}${DOTS}&]`);
const ANY_HOOK = new RegExp(`[${HOOKS}]`, "g");
const BETWEEN = new RegExp(`[${DOTS}]`);
const MAX_TIME_LENGTH = 60;
const ANY_SIGN_BETWEEN = new RegExp(BETWEEN, "g");
const ANY_DOT = new RegExp(` ?[${DOTS}]`, "g");

/** A line as people see it: without references, invisible characters and mark-up. */
const asSeen = (line: string): string =>
  line
    .replace(INVISIBLE, "")
    .replace(REFERENCE, (_, decimal?: string, hex?: string) => spell(decimal, hex))
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/<[^<>]{0,200}>|[*_~`|\\]/g, "")
    .replace(/^[^\p{L}\p{N}]+/u, "")
    // Last, because it would make letters of signs, and mark-up of wide signs.
    .normalize("NFKC")
    .replace(/\s+/g, " ")
    .trim();

/** The time and place line of an anchor, also with signs instead of a time or place, and the line of a schedule, in each language (O9). */
const ANCHOR_LINES: readonly RegExp[] = [
  ...Object.values(LANGUAGES).flatMap(({ anchors: { started, askedFor, from, scheduled } }) => [
    new RegExp(`^[^\\p{L}\\p{N}]*${started} (?:.{1,80} )?${from} .{0,81}[${DOTS}]`, "iu"),
    new RegExp(`^[^\\p{L}\\p{N}]*${askedFor} (?:.{1,80} )?${from} .{0,81}[${DOTS}]`, "iu"),
    new RegExp(`^[^\\p{L}\\p{N}]*${scheduled} ?[${DOTS}]`, "iu"),
  ]),
];

/** A caller, its skill and a time in any language (O9). A list loses its dots too, which does no harm; a sum keeps them. */
const readsLikeInbound = (seen: string): boolean => {
  const parts = seen.split(BETWEEN).filter((part) => part.trim() !== "");
  const last = parts.at(-1) ?? "";
  return (
    parts.length > 2 && last.length <= MAX_TIME_LENGTH && /\p{L}|\p{N}[./-]\p{N}/u.test(last) && !last.includes("=")
  );
};

/**
 * Makes text distinguishable from an anchor in text form (O16): only anchors have the hook, and a line that reads like
 * part of an anchor loses its dots. The result is never longer, and the function is idempotent.
 */
export const escapeAnchors = (text: string): string => {
  if (!MAY_HAVE_ONE.test(text)) return text;
  return text.replace(REFERENCE, readReference).replace(ANY_HOOK, "→").split("\n").map(escapeLine).join("\n");
};

/**
 * The same for streamed text, in which no line is complete: replaces the signs wherever they occur. The length stays
 * the same, so that offsets between pieces stay valid.
 */
export const escapeAnchorSigns = (piece: string): string => {
  if (!MAY_HAVE_ONE.test(piece)) return piece;
  const read = piece.replace(REFERENCE, (whole, ...groups: string[]) =>
    readReference(whole, groups[0], groups[1], groups[2]).padEnd(whole.length),
  );
  return read.replace(ANY_HOOK, "→").replace(ANY_SIGN_BETWEEN, "-");
};

const escapeLine = (line: string): string => {
  const seen = asSeen(line);
  const isLikeOne = ANCHOR_LINES.some((form) => form.test(seen)) || readsLikeInbound(seen);
  if (!isLikeOne) return line;
  // A dot at the start of a line is a list bullet.
  const start = line.search(/\S/);
  return line.replace(ANY_DOT, (dot, at: number) => (at <= start ? dot : ","));
};

/** Decodes references to these signs only. */
const readReference = (whole: string, decimal?: string, hex?: string, name?: string): string => {
  const sign = name === undefined ? decode(decimal, hex) : NAMED[name];
  return sign !== undefined && (HOOKS.includes(sign) || DOTS.includes(sign)) ? sign : whole;
};

/** The character of a numeric reference; a sign that would be mark-up without the reference counts as a gap. */
const spell = (decimal?: string, hex?: string): string => {
  const sign = decode(decimal, hex);
  return /[<>&;*_~`|\\]/.test(sign) ? " " : sign;
};

const decode = (decimal?: string, hex?: string): string => {
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  return code > 0x20 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : " ";
};
