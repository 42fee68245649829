/** Posts bytes and reports the sent share, from 0 to 1. Rejects if the network fails. */
export type PostFile = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Blob,
  onProgress: (progress: number) => void,
) => Promise<{ readonly status: number; readonly text: string }>;

/** The used subset of the browser's XMLHttpRequest. */
interface PostRequest {
  readonly status: number;
  readonly responseText: string;
  readonly upload: { onprogress: ((event: { readonly loaded: number; readonly total: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: Blob): void;
}

export const browser = globalThis as unknown as { readonly XMLHttpRequest?: new () => PostRequest };

/** For pages: `fetch` reports no progress. */
export const postWithProgress: PostFile = (url, headers, body, onProgress) =>
  new Promise((resolve, reject) => {
    const request = new (browser.XMLHttpRequest as new () => PostRequest)();
    request.open("POST", url);
    for (const name in headers) request.setRequestHeader(name, headers[name] as string);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.onload = () => resolve({ status: request.status, text: request.responseText });
    request.onerror = () => reject(new Error());
    request.send(body);
  });
