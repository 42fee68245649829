export { keysRead } from "./memory-tools.ts";
export {
  addNotification,
  MAX_KEY_CHARS,
  MAX_NOTE_BYTES,
  type Notification,
  removeNotifications,
  WorkingMemory,
} from "./working-memory.ts";
