import type { TextSink } from "./text-sink.ts";
import { Unreadable } from "./unreadable.ts";

const MAX_PAGES = 2_000;

export interface PdfExtent {
  readonly pages: number;
  readonly pagesRead: number;
}

/** Marked content has neither field. */
interface TextItem {
  readonly str?: string;
  readonly hasEOL?: boolean;
}

/** Adds the text page by page until the sink is full or the time is over, so that a huge document gives its beginning. */
export const pdfText = async (bytes: Uint8Array, sink: TextSink, timeLimitMs: number): Promise<PdfExtent> => {
  const { getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(bytes, { verbosity: 0, isEvalSupported: false }).catch((error: Error) => {
    throw error.name === "PasswordException" ? new Unreadable("is protected with a password") : error;
  });
  const { numPages: pages } = document;
  const until = performance.now() + timeLimitMs;
  let hasText = false;
  let pagesRead = 0;
  while (pagesRead === 0 || (pagesRead < Math.min(pages, MAX_PAGES) && !sink.isFull && performance.now() < until)) {
    const page = await document.getPage(++pagesRead);
    const { items } = await page.getTextContent();
    const text = items.map(({ str = "", hasEOL }: TextItem) => (hasEOL ? `${str}\n` : str)).join("");
    hasText ||= text.trim() !== "";
    sink.add(`[page ${pagesRead}]\n${text}\n\n`);
    page.cleanup();
  }
  if (!hasText) throw new Unreadable("has no text, perhaps it is a scan");
  return { pages, pagesRead };
};
