import type { Attachment } from "../../../core/contract/messages/user-message.ts";
import type { PostFile } from "./post-file.ts";

/** The used subset of the browser's File. */
export type NamedFile = Blob & { readonly name: string };

/** Uploads and downloads a visitor's files with the token from the socket. */
export class FileRequests {
  readonly #url: string;
  readonly #token: () => string | undefined;
  readonly #post: PostFile;

  constructor(url: string, token: () => string | undefined, post: PostFile) {
    this.#url = url;
    this.#token = token;
    this.#post = post;
  }

  /** Rejects with a text for the person; with an empty one if the network failed. */
  async upload(file: NamedFile, onProgress: (progress: number) => void): Promise<Attachment> {
    const url = `${this.#url}?name=${encodeURIComponent(file.name)}`;
    const headers = { ...this.#headers, "content-type": file.type || "application/octet-stream" };
    const { status, text } = await this.#post(url, headers, file, onProgress);
    const answer = parsed(text);
    if (status === 201) return answer as unknown as Attachment;
    throw new Error(answer.error?.message ?? "");
  }

  async fetch({ id }: Pick<Attachment, "id">): Promise<Blob> {
    const answer = await fetch(`${this.#url}?id=${encodeURIComponent(id)}`, { headers: this.#headers });
    if (!answer.ok) throw new Error(`download failed: ${answer.status}`);
    return answer.blob();
  }

  get #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token() ?? ""}` };
  }
}

const parsed = (text: string): { error?: { message?: string } } => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};
