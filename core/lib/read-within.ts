import { AppError } from "../contract/app-error.ts";

/**
 * The whole body of a response. Counts bytes after decompression: a small response can decompress to a huge one. Much
 * cheaper than a counting stream around a small body.
 */
export const readWithin = async ({ body }: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> => {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    chunks.push(read.value);
    bytes += read.value.byteLength;
    if (bytes <= maxBytes) continue;
    const error = new AppError("too-large", `the answer has more than ${maxBytes} bytes`);
    await reader?.cancel(error);
    throw error;
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
};
