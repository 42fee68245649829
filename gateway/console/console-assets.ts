import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

interface ConsoleAsset {
  readonly contentType: string;
  readonly body: Buffer;
  readonly etag: string;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  "console.js": "text/javascript; charset=utf-8",
  "console.css": "text/css; charset=utf-8",
};

/** Beside this file in a build; in `dist/` when running from source. */
const BUILT = [new URL("./", import.meta.url), new URL("../../dist/", import.meta.url)];

type ReadAsset = (name: string) => Promise<ConsoleAsset | "unknown" | "not-built">;

/** The files that the page loads, cached after the first read. */
export const consoleAssets = (folders: readonly URL[] = BUILT): ReadAsset => {
  const cached = new Map<string, ConsoleAsset>();
  return async (name) => {
    const contentType = CONTENT_TYPES[name];
    if (contentType === undefined) return "unknown";
    for (const folder of cached.has(name) ? [] : folders) {
      const body = await readFile(new URL(name, folder)).catch(() => undefined);
      if (body === undefined) continue;
      const digest = createHash("sha256").update(body).digest("base64url");
      cached.set(name, { contentType, body, etag: `"${digest.slice(0, 22)}"` });
      break;
    }
    return cached.get(name) ?? "not-built";
  };
};
