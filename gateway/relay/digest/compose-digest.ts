import { withFenceClosed } from "../../../adapters/contract/code-fence.ts";
import { inertAnchors } from "../../../adapters/contract/inert-anchors.ts";
import type { Anchor } from "../../../core/contract/anchor.ts";

export interface DigestItem {
  readonly markdown: string;
  readonly anchor: Anchor | null;
}

/** Several answers as one text: each whole, in order, and with its own anchor, which no other text can pass for (O16). */
export const composeDigest = (items: readonly DigestItem[]): string => {
  const head = `**${items.length} messages have waited for you.**`;
  const texts = items.map(({ markdown, anchor }, index) =>
    [`**${index + 1}.**`, withFenceClosed(inertAnchors(markdown.trim())), ...(anchor ? [plain(anchor.text)] : [])].join(
      "\n\n",
    ),
  );
  return [head, ...texts].join("\n\n");
};

/** Its words are people's: they are no mark-up. */
const plain = (text: string): string => text.replace(/[\\`*_~[\]<>|#]/g, "\\$&");
