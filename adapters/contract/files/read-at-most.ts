import { AppError, messageOf } from "../../../core/contract/app-error.ts";

/** Reads the body of a file download. Rejects with AppError only: too large, or interrupted. */
export const readAtMost = async (
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  name: string,
): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.byteLength;
      // Leaving the loop cancels the stream.
      if (length > maxBytes) throw new AppError("too-large", `"${name}" has more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("unavailable", `the download of "${name}" was interrupted: ${messageOf(cause)}`, { cause });
  }
  return Buffer.concat(chunks, length);
};
