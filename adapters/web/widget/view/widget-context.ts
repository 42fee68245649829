import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { MenuCommand } from "../../../../core/contract/menu-command.ts";
import type { Attachment } from "../../../../core/contract/messages/user-message.ts";
import type { ChatModel } from "../chat/chat-model.ts";
import type { Conversations } from "../chat/conversations.ts";
import type { DraftText } from "../chat/draft-text.ts";
import type { PanelState } from "../chat/panel-state.ts";
import type { Uploads } from "../chat/uploads.ts";
import type { Formatter } from "../markdown/formatter.ts";
import type { Texts } from "../texts/texts.ts";
import type { WidgetOptions } from "../widget-options.ts";
import type { LazyViews } from "./lazy-views.ts";

/** Everything that the views read and call. */
export interface WidgetContext {
  readonly options: WidgetOptions;
  readonly texts: Texts;
  readonly locale: string;
  readonly model: ChatModel;
  readonly conversations: Conversations;
  readonly panel: PanelState;
  readonly uploads: Uploads;
  readonly formatter: Formatter;
  readonly draft: DraftText;
  readonly lazy: LazyViews;
  download(attachment: Attachment): Promise<void>;
  /** The content, to show it. */
  fetchFile(attachment: Attachment): Promise<Blob>;
  /** The commands of the gateway, for the menu. */
  commands(): Promise<readonly MenuCommand[]>;
  /** A small picture of an image. */
  thumbnail(attachment: Attachment): Promise<ImageBitmap>;
}

export const WidgetProvider = createContext<WidgetContext | undefined>(undefined);

export const useWidget = (): WidgetContext => {
  const widget = useContext(WidgetProvider);
  if (widget === undefined) throw new Error("useWidget() was called outside of the WidgetProvider");
  return widget;
};
