import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Unique secrets, by where they were planted. Every output is searched for all of them. */
export class PlantedSecrets {
  readonly #planted = new Map<string, string>();
  readonly #outputs: { readonly source: string; readonly bytes: Buffer }[] = [];

  /** Creates a secret; `prefix` is the one that its platform requires. */
  plant(where: string, prefix = ""): string {
    return this.note(where, `${prefix}canary-${randomBytes(18).toString("hex")}`);
  }

  /** Registers a secret that was created elsewhere. */
  note(where: string, secret: string): string {
    this.#planted.set(where, secret);
    return secret;
  }

  /** Adds an output that people, operators or a disk can see. */
  seen(source: string, output: string | Buffer): void {
    this.#outputs.push({ source, bytes: Buffer.from(output) });
  }

  async seenInFolder(folder: string): Promise<void> {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isFile()) this.seen(file.slice(folder.length), await readFile(file));
    }
  }

  get outputs(): number {
    return this.#outputs.length;
  }

  /** `<secret> in <source>`, also for encoded secrets. */
  found(): string[] {
    return [...this.#planted].flatMap(([where, secret]) =>
      this.#outputs
        .filter(({ bytes }) => spellings(secret).some((spelling) => bytes.includes(spelling)))
        .map(({ source }) => `${where} in ${source}`),
    );
  }
}

const spellings = (secret: string): string[] => {
  // The middle of its base64, because the surrounding bytes change both ends.
  const encoded = [0, 1, 2].map((shift) =>
    Buffer.from(`${" ".repeat(shift)}${secret}`)
      .toString("base64")
      .slice(4, -4),
  );
  return [secret, encodeURIComponent(secret), ...encoded];
};
