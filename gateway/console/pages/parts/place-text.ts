import type { Conversation } from "../api/admin-api.ts";

/** "slack · T1 / C123 / 17000.1" */
export const placeText = ({ channel, workspace, room, thread }: Conversation): string =>
  `${channel} · ${[workspace, room, thread].filter((part) => part !== undefined).join(" / ")}`;
