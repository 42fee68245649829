export { memoryTools } from "./memory-tools.ts";
export { MAX_KEY_CHARS, MAX_NOTE_BYTES, WorkingMemory } from "./working-memory.ts";
