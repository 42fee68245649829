export { anchorFor, clockTime } from "./anchor.ts";
export { captureOrigin, causeOf, isAtHome } from "./capture.ts";
export { ContinuedWork, viewOfOrigins } from "./continued-work.ts";
export type { PostedReply } from "./posted-message-index.ts";
export { putPosted, readPosted } from "./posted-message-index.ts";
export type { PlacedReply } from "./reply-placements.ts";
export { notePlacement, noteReply, readPlacedReply } from "./reply-placements.ts";
