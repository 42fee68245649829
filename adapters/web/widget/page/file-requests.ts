import type { Attachment } from "../../../../core/contract/messages/user-message.ts";
import { thumbnailOf } from "./thumbnail.ts";

/** Uploads and downloads a visitor's files with the token from the socket. */
export class FileRequests {
  readonly #url: string;
  readonly #token: () => string | undefined;
  readonly #thumbnails = new Map<string, Promise<ImageBitmap>>();

  constructor(url: string, token: () => string | undefined) {
    this.#url = url;
    this.#token = token;
  }

  /** Rejects with a text for the person; with an empty one if the network failed. */
  upload(file: File, onProgress: (progress: number) => void): Promise<Attachment> {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", `${this.#url}?name=${encodeURIComponent(file.name)}`);
      request.setRequestHeader("authorization", `Bearer ${this.#token() ?? ""}`);
      request.setRequestHeader("content-type", file.type || "application/octet-stream");
      request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
      request.onload = () => {
        const answer = parsed(request.responseText);
        if (request.status === 201) resolve(answer as unknown as Attachment);
        else reject(new Error(answer.error?.message ?? ""));
      };
      request.onerror = () => reject(new Error());
      request.send(file);
    });
  }

  async download(file: Attachment): Promise<void> {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await this.fetch(file));
    link.download = file.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  /** The small picture of a sent image, loaded once. */
  thumbnail(file: Attachment): Promise<ImageBitmap> {
    const { id, mediaType } = file;
    const known = this.#thumbnails.get(id);
    if (known !== undefined) return known;
    const loading = this.fetch(file).then((bytes) => thumbnailOf(new Blob([bytes], { type: mediaType })));
    this.#thumbnails.set(id, loading);
    // A later view may try again, with a new token or on a better network.
    loading.catch(() => this.#thumbnails.delete(id));
    return loading;
  }

  async fetch({ id }: Attachment): Promise<Blob> {
    const headers = { authorization: `Bearer ${this.#token() ?? ""}` };
    const answer = await fetch(`${this.#url}?id=${encodeURIComponent(id)}`, { headers });
    if (!answer.ok) throw new Error(`download failed: ${answer.status}`);
    return answer.blob();
  }
}

const parsed = (text: string): { error?: { message?: string } } => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};
