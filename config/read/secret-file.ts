import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { ReadSecretFile } from "./substitute-references.ts";

/** Far above any key or certificate; a larger file is a wrong path. */
const MAX_BYTES = 64 * 1024;

/** Relative paths begin in the folder of the configuration, so that the working directory does not matter. */
export const secretFilePath = (path: string, configFile: string): string => resolve(dirname(configFile), path);

/** Reads the files that `${file:PATH}` names. Problems name the file and never its content. */
export const secretFileReader =
  (configFile: string, open: typeof openSync = openSync): ReadSecretFile =>
  (path) => {
    const file = secretFilePath(path, configFile);
    const refuse = (why: string) => ({ problem: `needs the file ${file}, ${why}` });
    let bytes: Buffer | undefined;
    try {
      bytes = readRegularFile(file, open);
    } catch (error) {
      return refuse(reasonOf(error instanceof Error && "code" in error ? String(error.code) : "unknown error"));
    }
    if (bytes === undefined) return refuse("which is not a regular file: correct the path");
    if (bytes.length > MAX_BYTES) return refuse(`which has more than ${MAX_BYTES} bytes: correct the path`);
    const text = decode(bytes);
    if (text === undefined) return refuse("which is not UTF-8: save it as UTF-8");
    if (text === "") return refuse("which is empty: write the value into it");
    return { text };
  };

/** Undefined for a directory, pipe or device. The flag keeps a pipe without a writer from blocking the start. */
const readRegularFile = (file: string, open: typeof openSync): Buffer | undefined => {
  const descriptor = open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(descriptor).isFile()) return undefined;
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
};

/** Editors and `echo` end a file with a line break, which is not part of the value. */
const decode = (bytes: Uint8Array): string | undefined => {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
  let end = text.length;
  while (end > 0 && (text[end - 1] === "\n" || text[end - 1] === "\r")) end--;
  return text.slice(0, end);
};

const reasonOf = (code: string): string => {
  if (code === "ENOENT" || code === "ENOTDIR") return "which does not exist: create it, or correct the path";
  if (code === "EACCES" || code === "EPERM")
    return "which this process may not read: make its user or group the file's, or change the mode";
  return `which could not be read (${code}): correct the path, or the file`;
};
