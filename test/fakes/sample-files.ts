import { deflateRawSync, deflateSync } from "node:zlib";

/** A ZIP file of these parts, as office programs write it. */
export const zipOf = (parts: Readonly<Record<string, string | Buffer>>): Buffer => {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(parts)) {
    const raw = Buffer.from(content);
    const data = deflateRawSync(raw);
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(20, 4);
    head.writeUInt16LE(8, 8);
    head.writeUInt32LE(data.length, 18);
    head.writeUInt32LE(raw.length, 22);
    head.writeUInt16LE(Buffer.byteLength(name), 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(20, 6);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(data.length, 20);
    entry.writeUInt32LE(raw.length, 24);
    entry.writeUInt16LE(Buffer.byteLength(name), 28);
    entry.writeUInt32LE(offset, 42);
    files.push(head, Buffer.from(name), data);
    directory.push(entry, Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + data.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(parts).length, 8);
  end.writeUInt16LE(Object.keys(parts).length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, entries, end]);
};

const escapeXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const wordParagraph = (text: string): string =>
  `<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r></w:p>`;

/** A Word document; `table` becomes a table below the paragraphs. */
export const docxOf = (paragraphs: readonly string[], table: readonly (readonly string[])[] = []): Buffer => {
  const rows = table.map((row) => `<w:tr>${row.map((cell) => `<w:tc>${wordParagraph(cell)}</w:tc>`).join("")}</w:tr>`);
  const body = `${paragraphs.map(wordParagraph).join("")}${rows.length > 0 ? `<w:tbl>${rows.join("")}</w:tbl>` : ""}`;
  return zipOf({
    "[Content_Types].xml": "<Types/>",
    "word/document.xml": `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
  });
};

/** An Excel workbook with one sheet: texts are shared strings, and dates are numbers with a style. */
export const xlsxOf = (sheet: string, rows: readonly (readonly (string | number | Date)[])[]): Buffer => {
  const strings: string[] = [];
  const cellOf = (value: string | number | Date, at: string): string => {
    if (typeof value === "number") return `<c r="${at}"><v>${value}</v></c>`;
    if (value instanceof Date) return `<c r="${at}" s="1"><v>${value.getTime() / 86_400_000 + 25_569}</v></c>`;
    return `<c r="${at}" t="s"><v>${strings.push(value) - 1}</v></c>`;
  };
  const data = rows.map(
    (row, y) => `<row>${row.map((value, x) => cellOf(value, `${String.fromCharCode(65 + x)}${y + 1}`)).join("")}</row>`,
  );
  const relation = '<Relationship Id="rId1" Target="worksheets/sheet1.xml"/>';
  return zipOf({
    "[Content_Types].xml": "<Types/>",
    "xl/workbook.xml": `<workbook><sheets><sheet name="${sheet}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${relation}</Relationships>`,
    "xl/sharedStrings.xml": `<sst>${strings.map((text) => `<si><t>${escapeXml(text)}</t></si>`).join("")}</sst>`,
    "xl/styles.xml": '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${data.join("")}</sheetData></worksheet>`,
  });
};

/** A PowerPoint presentation with a slide per text, and notes for the first one. */
export const pptxOf = (slides: readonly string[], notes: string): Buffer => {
  const text = (content: string) => `<p:sld><a:p><a:r><a:t>${escapeXml(content)}</a:t></a:r></a:p></p:sld>`;
  const parts = slides.map((slide, index) => [`ppt/slides/slide${index + 1}.xml`, text(slide)]);
  return zipOf({
    "ppt/presentation.xml": "<p:presentation/>",
    ...Object.fromEntries(parts),
    "ppt/slides/_rels/slide1.xml.rels":
      '<Relationships><Relationship Id="r1" Target="../notesSlides/notesSlide1.xml"/></Relationships>',
    "ppt/notesSlides/notesSlide1.xml": text(notes),
  });
};

/** An OpenDocument text. */
export const odtOf = (paragraphs: readonly string[]): Buffer =>
  zipOf({
    mimetype: "application/vnd.oasis.opendocument.text",
    "content.xml": `<office:text>${paragraphs.map((text) => `<text:p>${escapeXml(text)}</text:p>`).join("")}</office:text>`,
  });

/** A PDF with one line of text on each page. */
export const pdfOf = (pages: readonly string[]): Buffer => {
  const objects: string[] = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${4 + 2 * index} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  for (const [index, text] of pages.entries()) {
    const stream = `BT /F1 12 Tf 50 700 Td (${text.replace(/[()\\]/g, "\\$&")}) Tj ET`;
    const resources = "/Resources << /Font << /F1 3 0 R >> >>";
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] ${resources} /Contents ${5 + 2 * index} 0 R >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    );
  }
  let body = "%PDF-1.7\n";
  const offsets = objects.map((object, index) => {
    const at = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = offsets.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  const end = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(`${body}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${end}`, "latin1");
};

const CRC_TABLE = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc >>> 0;
});
const crcOf = (bytes: Buffer): number => {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
};

/** A PNG image of one colour, which every browser shows. */
export const pngOf = (width: number, height: number, [red, green, blue]: readonly [number, number, number]): Buffer => {
  const chunk = (type: string, data: Buffer): Buffer => {
    const content = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crcOf(content), 4);
    return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([
    Buffer.from([0]),
    ...Array.from({ length: width }, () => Buffer.from([red, green, blue])),
  ]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
};
