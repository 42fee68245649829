export { filesOfMessages, journaledFiles, withFiles } from "./turn-files.ts";
