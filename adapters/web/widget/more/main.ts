import { css as activity } from "./activity.css";
import { ActivityCard } from "./activity-card.tsx";
import { css as slashMenu } from "./slash-menu.css";
import { SlashMenu } from "./slash-menu.tsx";

/** Views that most chats do not need; `widget.js` loads them on demand. */
const views = { css: [activity, slashMenu].join(""), ActivityCard, SlashMenu };

declare global {
  interface Window {
    mooringMore?: typeof views;
  }
}

window.mooringMore = views;
