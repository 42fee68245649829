import type { Entry, Said } from "../transcript.ts";

/** The versions of one message, oldest first, and the one that is shown. */
export interface Versions {
  readonly ids: readonly string[];
  readonly shown: number;
}

/** An earlier version that the person looks at. */
export interface EarlierVersion {
  readonly id: string;
}

/**
 * A message that revises another one replaces it and the messages after it, with their answers. All of them stay in the
 * log: this finds the entries to show, for the newest version or for an earlier one.
 */
export class VersionedLog {
  readonly entries: readonly Entry[];
  readonly #roots = new Map<string, string>();
  readonly #versions = new Map<string, string[]>();
  readonly #hidden = new Set<string>();
  readonly #shown: string | undefined;

  constructor(log: readonly Entry[], earlier?: EarlierVersion) {
    const positions = new Map<string, number>();
    const said = log.flatMap(({ item }) => (item.type === "said" ? [item] : []));
    for (const [at, { id }] of said.entries()) positions.set(id, at);
    for (const { id, revises } of said) {
      if (revises === undefined || !positions.has(revises)) continue;
      const root = this.#roots.get(revises) ?? revises;
      this.#roots.set(id, root);
      const known = this.#versions.get(root) ?? [root];
      this.#versions.set(root, [...known, id]);
    }
    const next = earlier && this.#versionAfter(earlier.id);
    this.#shown = next && earlier?.id;
    const count = next === undefined ? said.length : (positions.get(next) ?? said.length);
    for (const { id } of said.slice(count)) this.#hidden.add(id);
    for (const [at, { id }] of said.slice(0, count).entries()) {
      const root = this.#roots.get(id);
      if (root !== undefined) for (const old of said.slice(positions.get(root), at)) this.#hidden.add(old.id);
    }
    this.entries = this.#hidden.size === 0 ? log : log.filter(({ item }) => !this.#hidden.has(messageOf(item)));
  }

  /** Undefined: the message has one version. */
  versionsOf(id: string): Versions | undefined {
    const ids = this.#versions.get(this.#roots.get(id) ?? id);
    return ids && { ids, shown: ids.indexOf(id) };
  }

  /** Whether an earlier version is shown. */
  get isEarlier(): boolean {
    return this.#shown !== undefined;
  }

  isHidden(id: string): boolean {
    return this.#hidden.has(id);
  }

  #versionAfter(id: string): string | undefined {
    const found = this.versionsOf(id);
    return found?.ids[found.shown + 1];
  }
}

/** The message that an entry is, or answers; proactive messages belong to none. */
const messageOf = (item: Entry["item"]): string => (item.type === "said" ? item.id : (item.correlationId ?? ""));

/** The last message of the person that has a text, in the order of the log. */
export const lastSaid = (entries: readonly Entry[]): Said | undefined => {
  const found = entries.findLast(({ item }) => item.type === "said" && item.command === undefined);
  return found?.item.type === "said" ? found.item : undefined;
};
