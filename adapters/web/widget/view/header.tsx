import type { ChatModel } from "../../client/chat/chat-model.ts";
import type { Texts } from "../texts/texts.ts";
import { Icon } from "./icon.tsx";
import { useWidget } from "./widget-context.ts";

/** The agent's name and the connection status. */
export const Header = ({ close }: { close: (() => void) | undefined }) => {
  const { options, texts, model, panel, conversations, lazy } = useWidget();
  const isTokenRefused =
    model.status === "refused" && model.refusal?.startsWith("token-") === true && !isForOwner(model.refusal);
  return (
    <header>
      <span class="avatar">
        <Icon name="anchor" />
      </span>
      <div class="who">
        <h2 id="title">{options.title ?? (model.agent === "" ? texts.title : model.agent)}</h2>
        <span class={`status ${model.isStorable ? model.status : "away"}`} role="status">
          {statusText(texts, model)}
        </span>
      </div>
      {isTokenRefused && (
        <button type="button" class="pill" onClick={() => model.startOver()}>
          {texts.startOver}
        </button>
      )}
      {model.status !== "refused" && (
        <button
          type="button"
          class={conversations.hasUnread ? "tool marked" : "tool"}
          aria-label={conversations.hasUnread ? texts.unreadIn(texts.conversations) : texts.conversations}
          title={texts.conversations}
          aria-expanded={panel.isListing}
          onClick={() => {
            void lazy.views;
            void conversations.load();
            panel.set({ isListing: !panel.isListing });
          }}
        >
          <Icon name="list" />
        </button>
      )}
      {model.status !== "refused" && (model.entries.length > 0 || conversations.isUsed) && (
        <button
          type="button"
          class="tool"
          aria-label={texts.newConversation}
          title={texts.newConversation}
          onClick={() => {
            panel.set({ isListing: false });
            conversations.start();
          }}
        >
          <Icon name="compose" />
        </button>
      )}
      {close && (
        <button type="button" class="tool" aria-label={texts.close} title={texts.close} onClick={close}>
          <Icon name="close" />
        </button>
      )}
    </header>
  );
};

const statusText = (texts: Texts, { status, refusal, isStorable }: ChatModel): string => {
  if (!isStorable) return texts.unavailable;
  if (status === "open") return texts.online;
  if (status === "away") return texts.offline;
  if (status === "full") return texts.tooManyTabs;
  if (status === "refused") return refusalText(texts, refusal);
  return texts.connecting;
};

/** A new visitor would be refused as well. */
const isForOwner = (refusal: ChatModel["refusal"]): boolean =>
  refusal === "token-not-owner" || refusal === "token-link-used";

const refusalText = (texts: Texts, refusal: ChatModel["refusal"]): string => {
  if (refusal === "token-expired") return texts.signedOut;
  if (refusal === "token-link-used") return texts.linkUsed;
  return refusal === "token-not-owner" ? texts.ownerOnly : texts.refused;
};
