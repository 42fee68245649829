import type { Measured, Tail } from "./measure.ts";

export type Result = Measured & { readonly aim: string };

/** A markdown table of results for docs/performance-history.md. */
export const resultTable = (results: readonly Result[]): string => {
  const rows = [HEAD, ...results.map(rowOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = "", ...rest] = rows.map(line);
  return [head, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rest].join("\n");
};

const HEAD = ["what", "product", "its rounds", "floor", "ratio", "of CPU", "p99", "p99.9", "slowest", "aim"];

const rowOf = ({ name, unit, product, floor, ratio, cpuRatio, p99, p999, max, aim }: Result): string[] => [
  name,
  figure(product.median, unit),
  product.low === product.high ? "" : `${figure(product.low, unit)} – ${figure(product.high, unit)}`,
  figure(floor.median, unit),
  `${ratio.toFixed(2)}×`,
  Number.isFinite(cpuRatio) ? `${cpuRatio.toFixed(2)}×` : "",
  besideFloor(p99),
  besideFloor(p999),
  besideFloor(max),
  aim,
];

const besideFloor = (tail: Tail | undefined): string =>
  tail === undefined ? "" : `${figure(tail.product, "ms")} / ${figure(tail.floor, "ms")}`;

const figure = (value: number, unit: Measured["unit"]): string => {
  if (unit === "per second") return `${Math.round(value).toLocaleString("en")}/s`;
  if (unit === "messages") return Math.round(value).toLocaleString("en");
  if (unit === "kB" && value >= 10_000) return `${(value / 1_000).toFixed(1)} MB`;
  return `${value >= 99.5 ? Math.round(value).toLocaleString("en") : value.toPrecision(2)} ${unit}`;
};
