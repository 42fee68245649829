import { Component, Fragment } from "preact";
import { useRef } from "preact/hooks";
import { FEEDBACK, type Rating } from "../../../client/chat/shown-entries.ts";
import { lastSaid, type VersionedLog } from "../../../client/chat/versions.ts";
import type { Outgoing } from "../../../client/outgoing-queue.ts";
import type { Entry, Said, Shown } from "../../../client/transcript.ts";
import { Icon } from "../icon.tsx";
import { useWidget } from "../widget-context.ts";
import { DraftBubble } from "./draft-bubble.tsx";
import { SaidMeta } from "./message-tools.tsx";
import { ReplyBubble } from "./reply-bubble.tsx";
import { OutgoingBubble, SaidBubble } from "./said-bubble.tsx";
import { useEndlessScroll, useHighlightedEntry, useStickToEnd } from "./scrolling.ts";
import { dayOf, dayText } from "./time-text.ts";

/** The conversation: log entries, unsent messages and the streaming answer. */
export const MessageList = () => {
  const { texts, model, panel, formatter, lazy } = useWidget();
  const scroll = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const { isAtEnd, goToEnd } = useStickToEnd(scroll, content);
  useEndlessScroll(scroll, top);
  useHighlightedEntry(scroll);
  const { log, outgoing, draft, before } = model;
  const { entries } = log;
  const last = lastSaid(entries);
  const EarlierVersion = log.isEarlier ? lazy.views?.EarlierVersion : undefined;
  const { ratings } = model;
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
            {entries.map((entry, at) => (
              <Fragment key={entry.key}>
                {dayOf(entry.item.createdAt) !== dayOf(entries[at - 1]?.item.createdAt ?? 0) && (
                  <DaySeparator at={entry.item.createdAt} />
                )}
                <EntryView
                  entry={entry}
                  isHighlighted={entry.key === panel.highlightedKey}
                  state={`${formatter.isReady} ${window.mooringMore !== undefined}`}
                  rating={ratings.get(entry.item.id)}
                  isCommented={entry.item.id === panel.commentOn}
                  version={entry.item.type === "said" ? versionOf(log, entry.item.id) : undefined}
                  canRegenerate={!log.isEarlier && entry.item.type !== "said" && isAnswerTo(entry.item, last)}
                />
              </Fragment>
            ))}
            {outgoing.filter(isShown).map((item) => (
              <OutgoingBubble key={`said:${item.frame.id}`} outgoing={item} />
            ))}
          </div>
          {EarlierVersion && <EarlierVersion />}
          {draft !== "" && !log.isEarlier && <DraftBubble text={draft} />}
          {model.isTyping && !log.isEarlier && (
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

/** The buttons show ratings that wait; a failed one shows its reason. */
const isShown = ({ frame, failure }: Outgoing): boolean =>
  frame.type !== "command" || frame.name !== FEEDBACK || failure !== undefined;

const versionOf = (log: VersionedLog, id: string): string | undefined => {
  const versions = log.versionsOf(id);
  return versions && `${versions.shown} ${versions.ids.length}`;
};

const isAnswerTo = (item: Shown, said: Said | undefined): boolean =>
  said !== undefined && item.correlationId === said.id && item.kind === "final";

const DaySeparator = ({ at }: { at: string }) => {
  const { model, locale } = useWidget();
  return (
    <div class="day">
      <span>{dayText(at, model.now(), locale)}</span>
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
  /** Changes when a script has loaded. */
  readonly state: string;
  /** Changes with the versions of the message; undefined if there is one. */
  readonly version: string | undefined;
  readonly canRegenerate: boolean;
  readonly rating: Rating | undefined;
  readonly isCommented: boolean;
}

/** One entry of the log. Rendered again only after a change, because there may be thousands. */
class EntryView extends Component<EntryProps> {
  override shouldComponentUpdate(next: EntryProps): boolean {
    return (Object.keys(next) as (keyof EntryProps)[]).some((name) => next[name] !== this.props[name]);
  }

  override render({ entry: { key, item }, isHighlighted, version, ...reply }: EntryProps) {
    const found = isHighlighted ? " found" : "";
    if (item.type === "said") {
      return (
        <div class={`said${item.command ? " command" : ""}${found}`} data-key={key}>
          <SaidBubble item={item} />
          {item.command === undefined && <SaidMeta item={item} version={version} />}
        </div>
      );
    }
    if (item.activity) {
      return (
        <div class={`work${found}`} data-key={key}>
          <ActivityEntry item={item} />
        </div>
      );
    }
    const aside = item.kind === "progress" || item.kind === "completion" ? " aside" : "";
    const outcome = item.outcome === "failed" ? " failed" : "";
    return (
      <div class={`reply${aside}${outcome}${item.kind === "notice" ? " notice" : ""}${found}`} data-key={key}>
        <ReplyBubble item={item} {...reply} />
      </div>
    );
  }
}

/** The text of the activity stands in until its view is loaded. */
const ActivityEntry = ({ item }: { item: Shown }) => {
  const { lazy } = useWidget();
  const View = lazy.views?.ActivityCard;
  return View ? <View item={item} /> : <ReplyBubble item={item} />;
};
