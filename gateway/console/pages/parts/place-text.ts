import type { Place } from "../../../admin-api/index.ts";

/** "slack · T1 / C123 / 17000.1" */
export const placeText = ({ channel, workspace, room, thread }: Place): string =>
  `${channel} · ${[workspace, room, thread].filter((part) => part !== undefined).join(" / ")}`;
