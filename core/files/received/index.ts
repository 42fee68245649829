export { fileLabel, shownName, sizeText } from "./file-texts.ts";
export { NotFetched, receiveFile } from "./receive-file.ts";
export {
  findReceived,
  isReceivedFile,
  type ReceivedFile,
  readBytes,
  readText,
  receivedFileId,
  refOf,
  settleReceived,
} from "./received-file.ts";
export { addToSession, deleteFilesOf, filesOfSession, type NumberedFile } from "./session-files.ts";
