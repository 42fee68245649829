import { css as activity } from "./activity.css";
import { ActivityCard } from "./activity-card.tsx";
import { css as conversations } from "./conversation-list.css";
import { ConversationList } from "./conversation-list.tsx";
import { css as feedback } from "./feedback-form.css";
import { FeedbackForm } from "./feedback-form.tsx";
import { FileList } from "./file-chip.tsx";
import { css as files } from "./files.css";
import { css as highlighting } from "./highlight.css";
import { highlight } from "./highlight.ts";
import { css as slashMenu } from "./slash-menu.css";
import { SlashMenu } from "./slash-menu.tsx";
import { UploadList } from "./upload-list.tsx";
import { css as versions } from "./versions.css";
import { EarlierVersion, VersionSwitch } from "./versions.tsx";
import { css as voice } from "./voice-button.css";
import { VoiceButton } from "./voice-button.tsx";

/** Views that most chats do not need; `widget.js` loads them on demand. */
const views = {
  css: [activity, conversations, feedback, files, highlighting, slashMenu, versions, voice].join(""),
  ActivityCard,
  ConversationList,
  EarlierVersion,
  FeedbackForm,
  FileList,
  SlashMenu,
  UploadList,
  VersionSwitch,
  VoiceButton,
  highlight,
};

declare global {
  interface Window {
    mooringMore?: typeof views;
  }
}

window.mooringMore = views;
