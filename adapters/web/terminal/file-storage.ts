import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { KeyValueStorage } from "../client/persistent-values.ts";

/** Persists the token and the unsent messages between two runs. Only the owner can read the file. */
export const fileStorage = (file: string): KeyValueStorage => {
  const values = read(file);
  const write = (): void => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify(Object.fromEntries(values)), { mode: 0o600 });
  };
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => {
      values.set(key, value);
      write();
    },
    removeItem: (key) => {
      if (values.delete(key)) write();
    },
  };
};

const read = (file: string): Map<string, string> => {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, "utf8"));
    return new Map(Object.entries(stored as object).filter(([, value]) => typeof value === "string"));
  } catch {
    return new Map();
  }
};
