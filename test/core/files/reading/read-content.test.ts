import { describe, expect, it } from "vitest";
import { readContent } from "../../../../core/files/reading/read-file-text.ts";
import { docxOf, odtOf, pdfOf, pngOf, pptxOf, xlsxOf, zipOf } from "../../../fakes/sample-files.ts";

describe("given a file that a person sent (M3)", () => {
  it("when it is a PDF, then its text is read page by page", async () => {
    const content = await readContent(pdfOf(["Harbour dues 2026", "Berth 7 is free"]));
    expect(content).toMatchObject({ kind: "text", label: "PDF", mediaType: "application/pdf", pages: 2, isCut: false });
    expect(content).toHaveProperty("text", "[page 1]\nHarbour dues 2026\n\n[page 2]\nBerth 7 is free");
  });

  it("when it is a Word document, then paragraphs and tables are read in their order", async () => {
    const content = await readContent(
      docxOf(
        ["Minutes & notes", "Second"],
        [
          ["Name", "Berth"],
          ["Ada", "7"],
        ],
      ),
    );
    expect(content).toMatchObject({ kind: "text", label: "Word document" });
    expect(content).toHaveProperty("text", "Minutes & notes\nSecond\nName \tBerth\nAda \t7");
  });

  it("when it is an Excel workbook, then its rows have texts, numbers, empty cells and dates", async () => {
    const rows = [
      ["ship", "", "arrives"],
      ["Aurora", 4.5, new Date("2026-03-02T00:00:00Z")],
    ];
    const content = await readContent(xlsxOf("Plan", rows));
    expect(content).toMatchObject({ kind: "text", label: "Excel workbook" });
    expect(content).toHaveProperty("text", "[sheet Plan]\nship\t\tarrives\nAurora\t4.5\t2026-03-02");
  });

  it("when it is a PowerPoint presentation, then its slides and notes are read", async () => {
    const content = await readContent(pptxOf(["Welcome", "Costs"], "Smile first"));
    expect(content).toMatchObject({ kind: "text", label: "PowerPoint presentation" });
    expect(content).toHaveProperty("text", "[slide 1]\nWelcome\n[notes]\nSmile first\n\n[slide 2]\nCosts");
  });

  it("when it is an OpenDocument text, then its paragraphs are read", async () => {
    const content = await readContent(odtOf(["One", "Two"]));
    expect(content).toMatchObject({ kind: "text", label: "OpenDocument text", text: "One\nTwo" });
  });

  it.each([
    ["UTF-8", Buffer.from("Grüße;1\n")],
    ["Windows-1252", Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65, 0x3b, 0x31, 0x0a])],
    ["UTF-16", Buffer.from("\ufeffGrüße;1\n", "utf16le")],
  ])("when it is text in %s, then it is decoded", async (_, bytes) => {
    expect(await readContent(bytes)).toMatchObject({ kind: "text", label: "text", text: "Grüße;1\n" });
  });

  it("when it is an image, then its type is that of its bytes", async () => {
    expect(await readContent(pngOf(2, 2, [255, 0, 0]))).toEqual({
      kind: "image",
      mediaType: "image/png",
      label: "PNG image",
    });
  });

  it("when it is HTML that is called a picture, then it is text", async () => {
    const content = await readContent(Buffer.from("<!DOCTYPE html><html><body>sign in</body></html>"));
    expect(content).toMatchObject({ kind: "text", mediaType: "text/html" });
  });
});

const bomb = (): Buffer =>
  zipOf({ "ppt/presentation.xml": "<p/>", "ppt/slides/slide1.xml": Buffer.alloc(101_000_000) });

describe("given a file that cannot be read (M3)", () => {
  const whole = pdfOf(["Harbour dues 2026"]);
  it.each([
    ["empty", Buffer.alloc(0), "is empty"],
    ["a PDF without its end and its pages", whole.subarray(0, 60), "is damaged or incomplete"],
    ["a PDF without text", pdfOf([""]), "has no text, perhaps it is a scan"],
    ["a truncated Word document", docxOf(["Minutes"]).subarray(0, 120), "is damaged or incomplete"],
    ["a bomb", bomb(), "unpacks to too much data"],
    ["an archive", zipOf({ "a.txt": "a" }), undefined],
    ["unknown bytes", Buffer.from([1, 0, 2, 0, 3, 255, 254, 0]), undefined],
    ["an old Office document", Buffer.from("d0cf11e0a1b11ae1", "hex"), undefined],
  ])("when it is %s, then the reason is said and nothing else fails", async (_, bytes, why) => {
    const content = await readContent(bytes);
    expect(content.kind).toBe("unreadable");
    expect("why" in content ? content.why : undefined).toBe(why);
  });

  it("when a document has ten thousand pages, then its beginning is read, and it says that it is cut", async () => {
    const pages = Array.from({ length: 10_000 }, (_, index) => `page number ${index + 1}`);
    const content = await readContent(pdfOf(pages), 500);
    expect(content).toMatchObject({ kind: "text", isCut: true, pages: 10_000 });
    expect(content).toHaveProperty("text", expect.stringContaining("page number 1\n"));
  });
});
