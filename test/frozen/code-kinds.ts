import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** The kinds of data that a version of the code stores: names of collections, and families of messages. */
export interface CodeKinds {
  readonly collections: readonly string[];
  readonly messages: readonly string[];
}

/** Read from the sources, so that a new collection cannot be forgotten. Messages without a key are signals, not stored. */
export const kindsInCode = async (root: string): Promise<CodeKinds> => {
  const collections = new Set<string>();
  for (const folder of ["core", "gateway", "adapters"]) {
    for (const entry of await readdir(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith(".ts")) continue;
      const source = readFileSync(join(entry.parentPath, entry.name), "utf8");
      for (const [, name = ""] of source.matchAll(/[^.\w]collection\(\s*"([^"]+)"/g)) collections.add(name);
    }
  }
  const subjects = readFileSync(join(root, "core/contract/messages/subjects.ts"), "utf8");
  const messages = [...subjects.matchAll(/\/\*\* key:[^\n]*\n\s*\w+: subjectFamily\(\w+, "([^"]+)"/g)];
  return { collections: [...collections].sort(), messages: messages.map(([, name = ""]) => name).sort() };
};
