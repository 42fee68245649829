import { randomUUID } from "node:crypto";
import type { ReadFile } from "../../contract/outgoing-file.ts";

/**
 * The body of a request with files. Written here, because the SDK's form depends on the version of undici that the
 * process loaded first. https://docs.discord.com/developers/reference#uploading-files
 */
export const multipart = (body: unknown, files: readonly ReadFile[]) => {
  const boundary = `mooring-${randomUUID()}`;
  const part = (head: readonly string[], content: Uint8Array) => [
    Buffer.from(`--${boundary}\r\n${head.join("\r\n")}\r\n\r\n`),
    content,
    Buffer.from("\r\n"),
  ];
  const json = part(
    ['content-disposition: form-data; name="payload_json"', "content-type: application/json"],
    Buffer.from(JSON.stringify(body)),
  );
  const attached = files.flatMap(({ name, mediaType, content }, index) =>
    part(
      [
        `content-disposition: form-data; name="files[${index}]"; filename="${inert(name)}"`,
        `content-type: ${inert(mediaType)}`,
      ],
      content,
    ),
  );
  return {
    body: Buffer.concat([...json, ...attached, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    passThroughBody: true,
  };
};

/** A name must not end its header or add another one. */
const inert = (text: string): string => text.replace(/[\p{Cc}"\\]/gu, "_");
