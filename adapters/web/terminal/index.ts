export { checkOwnerProof, ownerProof } from "../identity/owner-proof.ts";
export { fileStorage } from "./file-storage.ts";
export { socketTransport } from "./socket-transport.ts";
export { TerminalChat } from "./terminal-chat.ts";
export { TerminalScreen } from "./terminal-screen.ts";
