export { createModerator } from "./create-moderator.ts";
