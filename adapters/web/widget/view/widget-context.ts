import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ChatModel } from "../../client/chat/chat-model.ts";
import type { Conversations } from "../../client/chat/conversations.ts";
import type { DraftText } from "../../client/chat/draft-text.ts";
import type { FileRequests } from "../../client/file-requests.ts";
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
  readonly files: FileRequests;
  /** The address of a path of the channel. */
  url(path: string): string;
}

export const WidgetProvider = createContext<WidgetContext | undefined>(undefined);

export const useWidget = (): WidgetContext => {
  const widget = useContext(WidgetProvider);
  if (widget === undefined) throw new Error("useWidget() was called outside of the WidgetProvider");
  return widget;
};
