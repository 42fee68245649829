import { sheetsText } from "./sheets-text.ts";
import type { TextSink } from "./text-sink.ts";
import { Unreadable } from "./unreadable.ts";
import { readXml } from "./xml.ts";
import type { Zip } from "./zip.ts";

export interface OfficeFormat {
  readonly mediaType: string;
  readonly label: string;
  readText(zip: Zip, sink: TextSink): void;
}

const OOXML = "application/vnd.openxmlformats-officedocument";
const ODF = "application/vnd.oasis.opendocument";

/** The formats by a part that only they have. */
const ooxml: readonly [part: string, format: OfficeFormat][] = [
  [
    "word/document.xml",
    {
      mediaType: `${OOXML}.wordprocessingml.document`,
      label: "Word document",
      readText: (zip, sink) => {
        for (const part of ["word/document.xml", "word/footnotes.xml", "word/endnotes.xml"]) {
          addParagraphs(zip.text(part), WORD, sink);
        }
      },
    },
  ],
  [
    "ppt/presentation.xml",
    {
      mediaType: `${OOXML}.presentationml.presentation`,
      label: "PowerPoint presentation",
      readText: (zip, sink) => addSlides(zip, sink),
    },
  ],
  [
    "xl/workbook.xml",
    {
      mediaType: `${OOXML}.spreadsheetml.sheet`,
      label: "Excel workbook",
      readText: (zip, sink) => sheetsText(zip, sink),
    },
  ],
];

const odf: Readonly<Record<string, string>> = {
  text: "OpenDocument text",
  spreadsheet: "OpenDocument spreadsheet",
  presentation: "OpenDocument presentation",
};

/** Undefined: an archive that is not a document. */
export const officeFormatOf = (zip: Zip): OfficeFormat | undefined => {
  const found = ooxml.find(([part]) => zip.has(part))?.[1];
  if (found !== undefined) return found;
  const mediaType = zip.has("mimetype") ? zip.text("mimetype")?.trim() : undefined;
  const label = mediaType?.startsWith(`${ODF}.`) ? odf[mediaType.slice(ODF.length + 1)] : undefined;
  if (mediaType === undefined || label === undefined || !zip.has("content.xml")) return undefined;
  return {
    mediaType,
    label,
    readText: (content, sink) => {
      if (/encryption-data/.test(content.text("META-INF/manifest.xml") ?? "")) {
        throw new Unreadable("is protected with a password");
      }
      addParagraphs(content.text("content.xml"), OPEN_DOCUMENT, sink);
    },
  };
};

/** How a format names its elements. */
interface Markup {
  /** Absent: all text inside of a paragraph counts. */
  readonly text?: string;
  readonly paragraphs: readonly string[];
  readonly cell: string;
  readonly row: string;
  readonly tab: string;
  readonly breaks: readonly string[];
  /** Their content is repeated elsewhere, or is not part of the text. */
  readonly skipped: readonly string[];
  /** Elements that begin a section, with the attribute that names it. */
  readonly sections: Readonly<Record<string, { readonly title: string; readonly attribute: string }>>;
}

const WORD: Markup = {
  text: "w:t",
  paragraphs: ["w:p"],
  cell: "w:tc",
  row: "w:tr",
  tab: "w:tab",
  breaks: ["w:br", "w:cr"],
  skipped: ["mc:Fallback", "w:del", "w:tabs"],
  sections: {},
};

const SLIDE: Markup = {
  text: "a:t",
  paragraphs: ["a:p"],
  cell: "a:tc",
  row: "a:tr",
  tab: "a:tab",
  breaks: ["a:br"],
  skipped: ["mc:Fallback"],
  sections: {},
};

const OPEN_DOCUMENT: Markup = {
  paragraphs: ["text:p", "text:h"],
  cell: "table:table-cell",
  row: "table:table-row",
  tab: "text:tab",
  breaks: ["text:line-break"],
  skipped: ["text:tracked-changes", "office:annotation"],
  sections: {
    "table:table": { title: "table", attribute: "table:name" },
    "draw:page": { title: "slide", attribute: "draw:name" },
  },
};

const addParagraphs = (xml: string | undefined, markup: Markup, sink: TextSink): void => {
  if (xml === undefined) return;
  const { text, paragraphs, cell, row, tab, breaks, skipped, sections } = markup;
  readXml(xml, (stop) => {
    let skipDepth = 0;
    let textDepth = 0;
    let cellDepth = 0;
    const isText = (name: string) => (text === undefined ? paragraphs.includes(name) : name === text);
    const add = (piece: string) => {
      sink.add(piece);
      if (sink.isFull) stop();
    };
    return {
      open: (name, attributes) => {
        if (skipDepth > 0 || skipped.includes(name)) skipDepth++;
        else if (isText(name)) textDepth++;
        else if (name === cell) cellDepth++;
        else if (name === tab) add("\t");
        else if (breaks.includes(name)) add("\n");
        else if (name === "text:s") add(" ");
        const section = sections[name];
        if (section !== undefined) add(`\n[${section.title} ${attributes[section.attribute] ?? ""}]\n`);
      },
      text: (data) => {
        if (skipDepth === 0 && textDepth > 0) add(data);
      },
      close: (name) => {
        if (skipDepth > 0) {
          skipDepth--;
          return;
        }
        if (isText(name)) textDepth--;
        if (name === cell) {
          cellDepth--;
          add("\t");
        } else if (name === row) add("\n");
        else if (paragraphs.includes(name)) add(cellDepth > 0 ? " " : "\n");
      },
    };
  });
};

const SLIDE_PART = /^ppt\/slides\/slide(\d+)\.xml$/;

const addSlides = (zip: Zip, sink: TextSink): void => {
  const numbers = zip.names.flatMap((name) => SLIDE_PART.exec(name)?.[1] ?? []).map(Number);
  for (const number of numbers.sort((a, b) => a - b)) {
    if (sink.isFull) return;
    sink.add(`\n[slide ${number}]\n`);
    addParagraphs(zip.text(`ppt/slides/slide${number}.xml`), SLIDE, sink);
    const relations = zip.text(`ppt/slides/_rels/slide${number}.xml.rels`) ?? "";
    const [, notes] = /Target="\.\.\/(notesSlides\/notesSlide\d+\.xml)"/.exec(relations) ?? [];
    if (notes === undefined) continue;
    sink.add("[notes]\n");
    addParagraphs(zip.text(`ppt/${notes}`), SLIDE, sink);
  }
};
