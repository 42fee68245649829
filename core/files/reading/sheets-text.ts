import type { TextSink } from "./text-sink.ts";
import { readXml } from "./xml.ts";
import type { Zip } from "./zip.ts";

/** Rows as lines with tabs between the cells, under the name of each sheet. */
export const sheetsText = (zip: Zip, sink: TextSink): void => {
  const strings = sharedStrings(zip.text("xl/sharedStrings.xml"));
  const isDate = dateStyles(zip.text("xl/styles.xml"));
  for (const { name, part } of sheetsOf(zip)) {
    if (sink.isFull) return;
    sink.add(`\n[sheet ${name}]\n`);
    addRows(zip.text(part), { strings, isDate }, sink);
  }
};

const sheetsOf = (zip: Zip): { name: string; part: string }[] => {
  const targets = new Map<string, string>();
  readXml(zip.text("xl/_rels/workbook.xml.rels") ?? "", () => ({
    open: (name, { Id = "", Target = "" }) => {
      if (name === "Relationship") targets.set(Id, Target.startsWith("/") ? Target.slice(1) : `xl/${Target}`);
    },
  }));
  const sheets: { name: string; part: string }[] = [];
  readXml(zip.text("xl/workbook.xml") ?? "", () => ({
    open: (element, attributes) => {
      const part = targets.get(attributes["r:id"] ?? "");
      if (element === "sheet" && part !== undefined) sheets.push({ name: attributes.name ?? "", part });
    },
  }));
  return sheets;
};

const sharedStrings = (xml = ""): string[] => {
  const strings: string[] = [];
  let current = "";
  let isText = false;
  let isPhonetic = false;
  readXml(xml, () => ({
    open: (name) => {
      if (name === "si") current = "";
      if (name === "rPh") isPhonetic = true;
      isText = name === "t" && !isPhonetic;
    },
    text: (data) => {
      if (isText) current += data;
    },
    close: (name) => {
      if (name === "si") strings.push(current);
      if (name === "rPh") isPhonetic = false;
      if (name === "t") isText = false;
    },
  }));
  return strings;
};

/** Formats 14 to 22 and 45 to 47 are dates and times in every workbook. */
const isBuiltInDate = (id: number): boolean => (id >= 14 && id <= 22) || (id >= 45 && id <= 47);
const DATE_CODE = /[ymdhs]/i;
const LITERALS = /"[^"]*"|\\.|\[[^\]]*\]/g;

/** By the index of a cell's style. A workbook stores dates as numbers, and only the format tells. */
const dateStyles = (xml = ""): ((style: number) => boolean) => {
  const custom = new Map<number, boolean>();
  const styles: boolean[] = [];
  let isCellStyle = false;
  readXml(xml, () => ({
    open: (name, { numFmtId = "0", formatCode = "" }) => {
      const id = Number(numFmtId);
      if (name === "numFmt") custom.set(id, DATE_CODE.test(formatCode.replace(LITERALS, "")));
      if (name === "cellXfs") isCellStyle = true;
      if (name === "xf" && isCellStyle) styles.push(custom.get(id) ?? isBuiltInDate(id));
    },
    close: (name) => {
      if (name === "cellXfs") isCellStyle = false;
    },
  }));
  return (style) => styles[style] === true;
};

interface Cell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value: string;
}

interface Workbook {
  readonly strings: readonly string[];
  readonly isDate: (style: number) => boolean;
}

const MAX_COLUMNS = 1_000;

const addRows = (xml: string | undefined, workbook: Workbook, sink: TextSink): void => {
  if (xml === undefined) return;
  readXml(xml, (stop) => {
    let row: string[] = [];
    let cell: Cell | undefined;
    let isValue = false;
    return {
      open: (name, { r = "", t = "n", s = "0" }) => {
        if (name === "row") row = [];
        if (name === "c") cell = { column: columnOf(r) ?? row.length, type: t, style: Number(s), value: "" };
        isValue = name === "v" || name === "t";
      },
      text: (data) => {
        if (isValue && cell !== undefined) cell.value += data;
      },
      close: (name) => {
        isValue = false;
        if (name === "c" && cell !== undefined && cell.column < MAX_COLUMNS) {
          while (row.length < cell.column) row.push("");
          row[cell.column] = shownValue(cell, workbook);
        }
        if (name !== "row") return;
        if (row.some((value) => value !== "")) sink.add(`${row.join("\t")}\n`);
        if (sink.isFull) stop();
      },
    };
  });
};

/** "C7" is column 2. */
const columnOf = (reference: string): number | undefined => {
  const [letters] = /^[A-Z]{1,3}/.exec(reference) ?? [];
  if (letters === undefined) return undefined;
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
};

const shownValue = ({ type, style, value }: Cell, { strings, isDate }: Workbook): string => {
  if (type === "s") return oneLine(strings[Number(value)] ?? "");
  if (type === "b") return value === "1" ? "TRUE" : "FALSE";
  if (type === "n" && value !== "" && isDate(style)) return dateOf(Number(value)) ?? value;
  return oneLine(value);
};

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

const DAY_MS = 86_400_000;
const EPOCH = Date.UTC(1899, 11, 30);

const dateOf = (serial: number): string | undefined => {
  const time = EPOCH + Math.round(serial * DAY_MS);
  if (!Number.isFinite(serial) || serial < 0 || serial > 2_958_466) return undefined;
  const [day = "", clock = ""] = new Date(time).toISOString().split("T");
  if (serial < 1) return clock.slice(0, 5);
  return serial % 1 === 0 ? day : `${day} ${clock.slice(0, 5)}`;
};
