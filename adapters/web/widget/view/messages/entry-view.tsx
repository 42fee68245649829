import { Component } from "preact";
import type { Entry } from "../../../client/transcript.ts";
import { ActivityCard } from "./activity-card.tsx";
import { ReplyBubble } from "./reply-bubble.tsx";
import { SaidBubble } from "./said-bubble.tsx";

interface EntryProps {
  readonly entry: Entry;
  readonly isHighlighted: boolean;
  /** The markdown script is loaded. */
  readonly isFormatted: boolean;
}

/** One entry of the log. Rendered again only after a change, because there may be thousands. */
export class EntryView extends Component<EntryProps> {
  override shouldComponentUpdate({ entry, isHighlighted, isFormatted }: EntryProps): boolean {
    const { props } = this;
    return entry !== props.entry || isHighlighted !== props.isHighlighted || isFormatted !== props.isFormatted;
  }

  override render({ entry: { key, item }, isHighlighted }: EntryProps) {
    const found = isHighlighted ? " found" : "";
    if (item.type === "said") {
      return (
        <div class={`said${item.command ? " command" : ""}${found}`} data-key={key}>
          <SaidBubble item={item} />
        </div>
      );
    }
    if (item.activity) {
      return (
        <div class={`work${found}`} data-key={key}>
          <ActivityCard item={item} />
        </div>
      );
    }
    const aside = item.kind === "progress" || item.kind === "completion" ? " aside" : "";
    const outcome = item.outcome === "failed" ? " failed" : "";
    return (
      <div class={`reply${aside}${outcome}${item.kind === "notice" ? " notice" : ""}${found}`} data-key={key}>
        <ReplyBubble item={item} />
      </div>
    );
  }
}
