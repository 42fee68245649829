import { useState } from "preact/hooks";
import type { ConversationInfo } from "../../client/conversation-requests.ts";
import { Icon } from "../view/icon.tsx";
import { clockTime } from "../view/messages/time-text.ts";
import { useWidget } from "../view/widget-context.ts";
import { useTexts } from "./more-texts.ts";

/** The part of an entry that replaces its buttons. */
type Asking = { readonly id: string; readonly for: "title" | "deletion" } | undefined;

/** The visitor's conversations: find, open, rename and delete them. */
export const ConversationList = () => {
  const { conversations, panel } = useWidget();
  const texts = useTexts();
  const [words, setWords] = useState("");
  const [asking, setAsking] = useState<Asking>();
  const { items = [], hasFailed } = conversations;
  const titleOf = ({ id, title }: ConversationInfo) =>
    title ?? (id === "main" ? texts.mainConversation : texts.newConversation);
  const found = items.filter((item) => titleOf(item).toLowerCase().includes(words.trim().toLowerCase()));
  const leave = () => panel.set({ isListing: false });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape leaves the list from each of its elements.
    <div
      class="conversations"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        if (asking) setAsking(undefined);
        else leave();
      }}
    >
      <input
        type="search"
        dir="auto"
        aria-label={texts.findConversation}
        placeholder={texts.findConversation}
        value={words}
        onInput={({ currentTarget }) => setWords(currentTarget.value)}
      />
      <ul aria-label={texts.conversations}>
        {found.map((item) => (
          <Entry key={item.id} item={item} title={titleOf(item)} asking={asking} ask={setAsking} leave={leave} />
        ))}
      </ul>
      <span class="none" role="status">
        {hasFailed ? texts.listFailed : found.length === 0 && items.length > 0 ? texts.noConversation : ""}
      </span>
      <button type="button" class="pill" onClick={leave}>
        {texts.back}
      </button>
    </div>
  );
};

interface EntryProps {
  readonly item: ConversationInfo;
  readonly title: string;
  readonly asking: Asking;
  ask(asking: Asking): void;
  leave(): void;
}

const Entry = ({ item: { id, changedAt, unread }, title, asking, ask, leave }: EntryProps) => {
  const { conversations, locale, model } = useWidget();
  const texts = useTexts();
  const isCurrent = id === conversations.current;
  const asked = asking?.id === id ? asking.for : undefined;
  const open = () => {
    conversations.enter(id);
    leave();
  };
  const tool = (name: "compose" | "trash", label: string, wanted: "title" | "deletion") => (
    <button type="button" class="tool" aria-label={label} title={label} onClick={() => ask({ id, for: wanted })}>
      <Icon name={name} />
    </button>
  );
  return (
    <li class={`${isCurrent ? "current" : ""} ${unread ? "unread" : ""}`}>
      <button type="button" class="entry" aria-current={isCurrent} onClick={open}>
        <span class="name" dir="auto">
          {title}
        </span>
        {unread && <span class="sr">{texts.unreadIn("")}</span>}
        {changedAt !== undefined && <time dateTime={changedAt}>{clockTime(changedAt, model.now(), locale)}</time>}
      </button>
      {tool("compose", texts.rename(title), "title")}
      {tool("trash", texts.deleteConversation(title), "deletion")}
      {asked === "title" && <TitleForm title={title} save={(next) => conversations.rename(id, next)} ask={ask} />}
      {asked === "deletion" && (
        <div class="ask">
          <span>{texts.deleteForever(title)}</span>
          <button type="button" class="pill" ref={(node) => node?.focus()} onClick={() => ask(undefined)}>
            {texts.cancel}
          </button>
          <button
            type="button"
            class="pill primary"
            onClick={() => {
              ask(undefined);
              void conversations.delete(id);
            }}
          >
            {texts.confirmDelete}
          </button>
        </div>
      )}
    </li>
  );
};

interface TitleFormProps {
  readonly title: string;
  readonly save: (title: string) => Promise<void>;
  ask(asking: Asking): void;
}

const TitleForm = ({ title, save, ask }: TitleFormProps) => {
  const texts = useTexts();
  const [text, setText] = useState(title);
  const submit = () => {
    ask(undefined);
    if (text.trim() !== "" && text !== title) void save(text);
  };
  return (
    <form
      class="ask"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <input
        dir="auto"
        maxLength={60}
        aria-label={texts.newTitle}
        value={text}
        ref={(node) => node?.focus()}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="button" class="pill" onClick={() => ask(undefined)}>
        {texts.cancel}
      </button>
      <button type="submit" class="pill primary">
        {texts.confirmRename}
      </button>
    </form>
  );
};
