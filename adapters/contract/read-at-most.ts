import { AppError, messageOf } from "../../core/contract/app-error.ts";

/** The bytes of a file that is being fetched. Fails with AppError only: too large, or broken off on the way. */
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
      // leaving the loop cancels the rest
      if (length > maxBytes) throw new AppError("too-large", `"${name}" has more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("unavailable", `"${name}" broke off while it was fetched: ${messageOf(cause)}`, { cause });
  }
  return Buffer.concat(chunks, length);
};
