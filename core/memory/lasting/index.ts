export { defaultMemory, type MemoryConfig } from "./config.ts";
export { type ExportedMemory, eraseMemory, exportMemory, type MemorySize, memorySize } from "./export-memory.ts";
export { forget, MAX_ENTRY_CHARS } from "./lasting-memory.ts";
export { mayErase } from "./may-erase.ts";
export { describeEntry, memoryNote } from "./memory-note.ts";
export type { MemoryEntry } from "./memory-record.ts";
export { type MemoryScope, memoryScope, readScope } from "./memory-scope.ts";
export { searchMemory } from "./search-memory.ts";
