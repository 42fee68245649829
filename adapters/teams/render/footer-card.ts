import type { Anchor, ReplyAction } from "../../../core/contract/messages/agent-reply.ts";
import { bytesOf, wellFormed, withoutTemplates } from "./escape.ts";

const MAX_LABEL = 40;
const MAX_SUMMARY = 300;
const MAX_LINK = 1_000;
/** Teams shows six of a set and hides more behind a menu that phones lack. A phone fits three side by side. */
const BUTTONS_IN_A_ROW = 3;

type Card = Readonly<Record<string, unknown>>;

/** `number`: the position of the item in a digest. */
export interface ShownAnchor {
  readonly anchor: Anchor;
  readonly number?: number;
}

/** The card below the text, with anchors and buttons and never the model's text. Undefined if there are neither. */
export const anchorCard = (anchors: readonly ShownAnchor[], actions: readonly ReplyAction[]): Card | undefined => {
  if (anchors.length === 0 && actions.length === 0) return undefined;
  return {
    type: "AdaptiveCard",
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    version: "1.5",
    ...(anchors.length > 0 && { fallbackText: anchors.map(plainAnchor).join("\n") }),
    body: [...anchors.flatMap(linesOf), ...rowsOf(actions)],
  };
};

/** The size that an anchor adds to a digest: in its card, and in the two texts for clients without cards. */
export const anchorBytes = (anchor: Anchor): number => {
  const shown = { anchor, number: 100 };
  return bytesOf(JSON.stringify([linesOf(shown), plainAnchor(shown), plainAnchor(shown)]));
};

/** One line for previews and for clients without cards, with the time in UTC. */
export const plainAnchor = (shown: ShownAnchor): string => {
  const { startedAt } = shown.anchor;
  const { what, when } = wordsOf(shown);
  return withoutTemplates(`${what} · ${when(`${startedAt.slice(0, 16).replace("T", " ")} UTC`)}`);
};

const linesOf = (shown: ShownAnchor): readonly Card[] => [whatLine(shown), whenLine(shown)];

/** Text runs do not support markdown, so a summary stays plain text. */
const whatLine = (shown: ShownAnchor): Card => {
  const url = safeLink(shown.anchor.link);
  const run = {
    type: "TextRun",
    text: withoutTemplates(wordsOf(shown).what),
    size: "Small",
    isSubtle: true,
    ...(url !== undefined && { selectAction: { type: "Action.OpenUrl", url } }),
  };
  return { type: "RichTextBlock", inlines: [run] };
};

const safeLink = (link = ""): string | undefined => {
  if (!/^https?:/i.test(link) || !URL.canParse(link)) return undefined;
  const { href } = new URL(link);
  return href.length <= MAX_LINK ? href : undefined;
};

/** The reader's client fills in its local date and time; it requires upper case, no spaces and no fractions. */
const whenLine = (shown: ShownAnchor): Card => {
  const at = `${shown.anchor.startedAt.slice(0, 19)}Z`;
  const text = wordsOf(shown).when(`{{DATE(${at},SHORT)}} {{TIME(${at})}}`);
  return { type: "TextBlock", text, size: "Small", isSubtle: true, spacing: "None", wrap: true };
};

interface AnchorWords {
  readonly what: string;
  readonly when: (time: string) => string;
}

/** The channel's name comes from the configuration: letters, digits and "-". */
const wordsOf = ({ anchor: { channel, summary }, number }: ShownAnchor): AnchorWords => {
  const short = cut(summary.slice(0, 2_000).replace(/\s+/g, " "), MAX_SUMMARY);
  const lead = number === undefined ? "" : `${number}. `;
  if (channel === "scheduled") return { what: `${lead}scheduled · ${short}`, when: (time) => time };
  if (channel === "a2a-inbound") return { what: `${lead}${short}`, when: (time) => time };
  const name = cut(channel.replace(/[^\p{L}\p{N}-]/gu, ""), MAX_LABEL);
  const shown = name.charAt(0).toUpperCase() + name.slice(1);
  return { what: `${lead}↳ Re: "${short}"`, when: (time) => `started ${time} from ${shown}` };
};

const rowsOf = (actions: readonly ReplyAction[]): Card[] => {
  const rows = Math.ceil(actions.length / BUTTONS_IN_A_ROW);
  return Array.from({ length: rows }, (_, row) => ({
    type: "ActionSet",
    actions: actions.slice(row * BUTTONS_IN_A_ROW, (row + 1) * BUTTONS_IN_A_ROW).map(buttonOf),
  }));
};

const buttonOf = ({ name, label, value }: ReplyAction): Card => ({
  type: "Action.Submit",
  title: withoutTemplates(cut(label, MAX_LABEL)) || name,
  data: { mooring: { command: name, args: value ?? "" } },
});

const cut = (text: string, length: number): string =>
  wellFormed([...text.slice(0, 2 * length)].slice(0, length).join(""));
