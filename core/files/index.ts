export { FilesConfig } from "./config.ts";
export { LINK_TTL_MS, linkedReply, linkFiles, openLink, revokeLinks } from "./file-links.ts";
export { ATTACHMENT_PAGE_CHARS, READ_ATTACHMENT } from "./read-attachment-tool.ts";
export {
  addToSession,
  fileLabel,
  NotFetched,
  type NumberedFile,
  type ReceivedFile,
  readText,
  receivedFileId,
  receiveFile,
  refOf,
  settleReceived,
  shownName,
  sizeText,
} from "./received/index.ts";
export { MAX_FILE_BYTES, openFile, readFile, storeFile, storeReceived } from "./stored-files.ts";
