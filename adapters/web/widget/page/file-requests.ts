import type { Attachment } from "../../../../core/contract/messages/user-message.ts";

/** Uploads and downloads a visitor's files with the token from the socket. */
export class FileRequests {
  readonly #url: string;
  readonly #token: () => string | undefined;

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

  async download({ id, name }: Attachment): Promise<void> {
    const headers = { authorization: `Bearer ${this.#token() ?? ""}` };
    const answer = await fetch(`${this.#url}?id=${encodeURIComponent(id)}`, { headers });
    if (!answer.ok) throw new Error(`download failed: ${answer.status}`);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }
}

const parsed = (text: string): { error?: { message?: string } } => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};
