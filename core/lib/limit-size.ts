import { AppError } from "../contract/app-error.ts";

/** Counts bytes after decompression: a small response can decompress to a huge one. */
export const limitSize = (response: Response, maxBytes: number): Response => {
  if (response.body === null) return response;
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) controller.error(new AppError("too-large", `the answer has more than ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counter), response);
};
