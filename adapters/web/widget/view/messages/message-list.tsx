import { Component } from "preact";
import { useRef } from "preact/hooks";
import type { Entry } from "../../../client/transcript.ts";
import { Icon } from "../icon.tsx";
import { useWidget } from "../widget-context.ts";
import { ActivityCard } from "./activity-card.tsx";
import { DraftBubble } from "./draft-bubble.tsx";
import { ReplyBubble } from "./reply-bubble.tsx";
import { OutgoingBubble, SaidBubble } from "./said-bubble.tsx";
import { useEndlessScroll, useHighlightedEntry, useStickToEnd } from "./scrolling.ts";

/** The conversation: log entries, unsent messages and the streaming answer. */
export const MessageList = () => {
  const { texts, model, panel, formatter } = useWidget();
  const scroll = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const { isAtEnd, goToEnd } = useStickToEnd(scroll, content);
  useEndlessScroll(scroll, top);
  useHighlightedEntry(scroll);
  const { entries, outgoing, draft, before } = model;
  const isEmpty = entries.length === 0 && outgoing.length === 0 && draft === "";
  return (
    <div class="conversation">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be focusable by keyboard. */}
      <div class="scroll" ref={scroll} role="log" aria-live="off" aria-label={texts.messages} tabIndex={0}>
        <div ref={content}>
          <div class="before" ref={top}>
            {before === "loading" && texts.earlier}
            {before === "expired" && texts.expired}
          </div>
          {isEmpty && before !== "unknown" && <Welcome />}
          <div class="log">
            {entries.map((entry) => (
              <EntryView
                key={entry.key}
                entry={entry}
                isHighlighted={entry.key === panel.highlightedKey}
                isFormatted={formatter.isReady}
              />
            ))}
            {outgoing.map((item) => (
              <OutgoingBubble key={`said:${item.frame.id}`} outgoing={item} />
            ))}
          </div>
          {draft !== "" && <DraftBubble text={draft} />}
          {model.isTyping && (
            <div class="typing" role="img" aria-label={texts.typing}>
              <i />
              <i />
              <i />
            </div>
          )}
        </div>
      </div>
      {!isAtEnd && (
        <button type="button" class="to-end" aria-label={texts.toEnd} onClick={goToEnd}>
          <Icon name="down" />
        </button>
      )}
    </div>
  );
};

/** The empty conversation: a greeting and suggestions. */
const Welcome = () => {
  const { options, texts, model } = useWidget();
  return (
    <div class="welcome">
      <span class="avatar">
        <Icon name="anchor" />
      </span>
      <p dir="auto">{options.greeting ?? texts.greeting}</p>
      <div class="suggestions">
        {options.suggestions.map((text) => (
          <button type="button" class="pill" key={text} dir="auto" onClick={() => model.send(text)}>
            {text}
          </button>
        ))}
      </div>
    </div>
  );
};

interface EntryProps {
  readonly entry: Entry;
  readonly isHighlighted: boolean;
  /** The markdown script is loaded. */
  readonly isFormatted: boolean;
}

/** One entry of the log. Rendered again only after a change, because there may be thousands. */
class EntryView extends Component<EntryProps> {
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
