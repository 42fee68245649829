export { runInWorker } from "./bounded-worker.ts";
export { type FileContent, readContent } from "./read-file-text.ts";
