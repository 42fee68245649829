import { bold, certainLength, code, dim, inline, widthOf } from "./inline-markdown.ts";

/** Markdown for a terminal, as it streams in: text is emitted as soon as its style is certain, and never changed. */
export class TerminalMarkdown {
  /** The part of the current line that is not emitted. */
  #pending = "";
  #isLineStart = true;
  /** The marker that closes the code block. */
  #fence: string | undefined;
  readonly #table: string[] = [];

  push(text: string): string {
    this.#pending += text;
    let out = "";
    for (let end = this.#pending.indexOf("\n"); end >= 0; end = this.#pending.indexOf("\n")) {
      const line = this.#pending.slice(0, end);
      this.#pending = this.#pending.slice(end + 1);
      out += this.#endOfLine(line);
    }
    return out + this.#certainPart();
  }

  /** The rest of the text. */
  end(): string {
    const line = this.#pending;
    this.#pending = "";
    const rest = line === "" && this.#isLineStart ? "" : this.#endOfLine(line).slice(0, -1);
    const table = this.#flushTable();
    return `${rest}${rest !== "" && table !== "" ? "\n" : ""}${table.replace(/\n$/, "")}`;
  }

  #endOfLine(line: string): string {
    if (!this.#isLineStart) {
      this.#isLineStart = true;
      return `${inline(line)}\n`;
    }
    if (this.#fence === undefined && /^\s*\|.*\|\s*$/.test(line)) {
      this.#table.push(line);
      return "";
    }
    return `${this.#flushTable()}${this.#wholeLine(line)}`;
  }

  #wholeLine(line: string): string {
    const [, fence] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (this.#fence !== undefined) {
      if (fence?.startsWith(this.#fence) !== true || line.trim() !== fence) return `  ${code(line)}\n`;
      this.#fence = undefined;
      return "";
    }
    if (fence !== undefined) {
      this.#fence = fence;
      return "";
    }
    const { prefix, rest, style } = blockOf(line);
    return `${prefix}${style(inline(rest))}\n`;
  }

  /** The beginning of an unfinished line, if it can only be a paragraph or an item. */
  #certainPart(): string {
    if (this.#fence !== undefined) return "";
    let out = "";
    if (this.#isLineStart) {
      // Neither a heading, a quotation, a fence, a table, a rule nor a box.
      if (!/^\s*(?:(?:[-*+]|\d+[.)])\s+[^\s\-*_[]|[^\s\-*+#>|`~\d_])/.test(this.#pending)) return "";
      const { prefix, rest } = blockOf(this.#pending);
      out = `${this.#flushTable()}${prefix}`;
      this.#pending = rest;
      this.#isLineStart = false;
    }
    const cut = certainLength(this.#pending);
    out += inline(this.#pending.slice(0, cut));
    this.#pending = this.#pending.slice(cut);
    return out;
  }

  #flushTable(): string {
    const rows = this.#table.splice(0).map(cellsOf);
    if (rows.length === 0) return "";
    const isRule = (cells: readonly string[]) => cells.every((cell) => /^:?-+:?$/.test(cell));
    const shown = rows.filter((cells) => !isRule(cells)).map((cells) => cells.map(inline));
    const columns = Math.max(...shown.map((cells) => cells.length), 0);
    const widths = Array.from({ length: columns }, (_, column) =>
      Math.max(...shown.map((cells) => widthOf(cells[column] ?? ""))),
    );
    const hasHead = rows[1] !== undefined && isRule(rows[1]);
    return shown
      .map((cells, row) => {
        const padded = widths.map((width, column) => {
          const cell = cells[column] ?? "";
          return cell + " ".repeat(width - widthOf(cell));
        });
        const text = padded.join("  ").trimEnd();
        const rule = hasHead && row === 0 ? `${dim(widths.map((width) => "─".repeat(width)).join("  "))}\n` : "";
        return `${hasHead && row === 0 ? bold(text) : text}\n${rule}`;
      })
      .join("");
  }
}

export const renderMarkdown = (text: string): string => {
  const writer = new TerminalMarkdown();
  return writer.push(text) + writer.end();
};

const same = (text: string) => text;

const blockOf = (line: string): { prefix: string; rest: string; style: (text: string) => string } => {
  const [, heading] = /^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$/.exec(line) ?? [];
  if (heading !== undefined) return { prefix: "", rest: heading, style: bold };
  if (/^ {0,3}([-*_])(?:\s*\1){2,}\s*$/.test(line)) return { prefix: dim("─".repeat(24)), rest: "", style: same };
  const [, quoted] = /^ {0,3}>\s?(.*)$/.exec(line) ?? [];
  if (quoted !== undefined) return { prefix: dim("│ "), rest: quoted, style: dim };
  const [, indent = "", mark, item] = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/.exec(line) ?? [];
  if (mark === undefined || item === undefined) return { prefix: "", rest: line, style: same };
  const box = /^\[([ xX])\]\s+(.*)$/.exec(item);
  const bullet = /\d/.test(mark) ? mark : "•";
  if (box === null) return { prefix: `${indent}${bullet} `, rest: item, style: same };
  return { prefix: `${indent}${box[1] === " " ? "☐" : "☑"} `, rest: box[2] ?? "", style: same };
};

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
