export { keysRead } from "./memory-tools.ts";
export { addNotification, type Notification, removeNotifications } from "./notifications.ts";
export { MAX_KEY_CHARS, MAX_NOTE_BYTES, WorkingMemory } from "./working-memory.ts";
