import type { Attachment } from "../../../../core/contract/messages/user-message.ts";
import type { Texts } from "../texts/texts.ts";

/** One file of the message that is being written. */
export interface Upload {
  readonly key: number;
  readonly file: File;
  /** From 0 to 1. */
  readonly progress: number;
  readonly attachment?: Attachment;
  readonly error?: string;
  /** A retry may succeed. */
  readonly canRetry?: boolean;
}

export type SendFile = (file: File, onProgress: (progress: number) => void) => Promise<Attachment>;

export interface UploadRules {
  readonly maxBytes: number;
  readonly accept: string | undefined;
}

const MAX_FILES = 10;

/** The files of the message that is being written. */
export class Uploads {
  readonly #send: SendFile;
  readonly #rules: () => UploadRules;
  readonly #texts: Texts;
  readonly #changed: () => void;
  #lastKey = 0;
  #items: readonly Upload[] = [];

  constructor(deps: { send: SendFile; rules: () => UploadRules; texts: Texts; changed: () => void }) {
    this.#send = deps.send;
    this.#rules = deps.rules;
    this.#texts = deps.texts;
    this.#changed = deps.changed;
  }

  get items(): readonly Upload[] {
    return this.#items;
  }

  get isBusy(): boolean {
    return this.#items.some(({ attachment, error }) => attachment === undefined && error === undefined);
  }

  get ready(): Attachment[] {
    return this.#items.flatMap(({ attachment }) => attachment ?? []);
  }

  add(files: Iterable<File>): void {
    for (const file of files) {
      const key = ++this.#lastKey;
      const error = this.#problemWith(file);
      this.#items = [...this.#items, { key, file, progress: 0, ...(error !== undefined && { error }) }];
      if (error === undefined) void this.#upload(key, file);
    }
    this.#changed();
  }

  retry(key: number): void {
    const item = this.#items.find((each) => each.key === key);
    if (item === undefined) return;
    const { error: _, canRetry: __, ...again } = item;
    this.#replace(again);
    void this.#upload(key, item.file);
  }

  remove(key: number): void {
    this.#items = this.#items.filter((item) => item.key !== key);
    this.#changed();
  }

  clear(): void {
    this.#items = [];
    this.#changed();
  }

  #problemWith(file: File): string | undefined {
    const { maxBytes, accept } = this.#rules();
    if (this.#items.filter(({ error }) => error === undefined).length >= MAX_FILES) return this.#texts.tooManyFiles;
    if (!isAccepted(file, accept)) return this.#texts.wrongType;
    if (file.size === 0) return this.#texts.emptyFile;
    return file.size > maxBytes ? this.#texts.tooLarge(bytesText(maxBytes)) : undefined;
  }

  async #upload(key: number, file: File): Promise<void> {
    const change = (changes: Partial<Upload>) => {
      const item = this.#items.find((each) => each.key === key);
      if (item) this.#replace({ ...item, ...changes });
    };
    try {
      change({ attachment: await this.#send(file, (progress) => change({ progress })), progress: 1 });
    } catch (error) {
      const why = error instanceof Error && error.message !== "" ? error.message : this.#texts.uploadFailed;
      change({ error: why, canRetry: true });
    }
  }

  #replace(item: Upload): void {
    this.#items = this.#items.map((each) => (each.key === item.key ? item : each));
    this.#changed();
  }
}

/** Whether a file matches `accept`, which has the format of an <input>. */
export const isAccepted = ({ name, type }: Pick<File, "name" | "type">, accept: string | undefined): boolean => {
  if (accept === undefined) return true;
  return accept
    .split(",")
    .map((pattern) => pattern.trim().toLowerCase())
    .some((pattern) => {
      if (pattern.startsWith(".")) return name.toLowerCase().endsWith(pattern);
      return pattern.endsWith("/*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
    });
};

/** "820 B", "12 kB", "1.4 MB". */
export const bytesText = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${Math.round(bytes / 100_000) / 10} MB`;
};
