export { anchorFor, isAtHome } from "./anchor.ts";
export { captureOrigin } from "./capture.ts";
export { causeOf } from "./cause-of.ts";
export { channelLabel } from "./channel-label.ts";
export { clockTime } from "./clock-time.ts";
export { ContinuedWork } from "./continued-work.ts";
export { putShown, readShown, type ShownRecord } from "./shown-record.ts";
export { noteTold, readTold, type ToldRecord } from "./told-record.ts";
export { viewOfOrigins } from "./view-of-origin.ts";
