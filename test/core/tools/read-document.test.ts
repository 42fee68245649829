import { describe, expect, it } from "vitest";
import { readDocument } from "../../../core/tools/fetch-url/read-document.ts";

const signal = new AbortController().signal;
const read = (text: string, type: string, timeLimitMs?: number) =>
  readDocument(Buffer.from(text), type, signal, timeLimitMs);

/** A PDF of one page with one line of text. */
const pdf = (text: string): string => {
  const content = `BT /F1 24 Tf 72 700 Td (${text}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  return `%PDF-1.4\n${objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join("")}trailer\n<< /Root 1 0 R >>\n%%EOF`;
};

describe("given a document that fetch_url has fetched (T1)", () => {
  it("when it is a page, then its title and text are read, without scripts and with its lines", async () => {
    const html = `<html><head><title> Tides </title><script>steal()</script></head><body><p>High
      water</p><p>at <b>noon</b></p><pre>a\n b</pre><ul><li>one</li><li>two</li></ul></body></html>`;
    const { title, text } = await read(html, "text/html; charset=utf-8");
    expect(title).toBe("Tides");
    expect(text).toContain("High water\nat noon\n");
    expect(text).toContain("one\ntwo");
    expect(text).not.toContain("steal");
  });

  it("when it is in another character set, then its letters are read", async () => {
    const { text } = await readDocument(
      Buffer.from("<p>Caf\u00e9</p>", "latin1"),
      "text/html; charset=iso-8859-1",
      signal,
    );
    expect(text).toContain("Café");
  });

  it("when it is a PDF, then its text is read by page", async () => {
    expect((await read(pdf("High water at noon"), "application/octet-stream")).text).toBe(
      "[page 1]\nHigh water at noon",
    );
  });

  it("when it is plain text or JSON, then it stays as it is", async () => {
    expect(await read('{"a": 1}', "application/json")).toEqual({ text: '{"a": 1}' });
  });

  it.each([
    ["image/png", "\u0089PNG", "image/png, which cannot be read"],
    ["", "abc", "of an unknown type"],
    ["application/pdf", "%PDF-1.4 broken", "the document cannot be read"],
  ])("when it is of type %j and cannot be read, then the reason says so", async (type, text, reason) => {
    await expect(read(text, type)).rejects.toThrow(reason);
  });

  it("when it keeps the parser busy, then reading ends at the time limit", async () => {
    await expect(read("<div>".repeat(100_000), "text/html", 300)).rejects.toThrow("takes too long");
  });

  it("when the turn is stopped, then reading ends", async () => {
    const stopped = new AbortController();
    const reading = readDocument(Buffer.from("<div>".repeat(100_000)), "text/html", stopped.signal);
    stopped.abort();
    await expect(reading).rejects.toThrow("no longer needed");
  });
});
