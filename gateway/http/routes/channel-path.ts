/** Everything of a channel is below this path. */
export const channelPath = (channel: string, path: string): string =>
  `/channels/${encodeURIComponent(channel)}/${path.replace(/^\/+/, "")}`;
