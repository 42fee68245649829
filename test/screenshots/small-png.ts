import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_COLORS = 256;
const PALETTE = 3;

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** One number per pixel: 0xRRGGBB. */
  readonly colors: Uint32Array;
}

/** The same picture with at most 256 colours: screenshots of pages lose nothing visible and two thirds of their bytes. */
export const smallPng = (png: Buffer): Buffer => {
  const { width, height, colors } = decode(png);
  const { palette, indexOf } = reduce(colors);
  const rows = Buffer.alloc(height * (width + 1));
  for (const [pixel, color] of colors.entries()) {
    const row = Math.floor(pixel / width);
    rows[row * (width + 1) + 1 + (pixel % width)] = indexOf.get(color) ?? 0;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, PALETTE, 0, 0, 0], 8);
  const entries = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  const data = deflateSync(rows, { level: 9, memLevel: 9 });
  const chunks = [chunk("IHDR", header), chunk("PLTE", entries), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...chunks]);
};

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
};

/** Reads what Chromium writes: 8 bits per channel, RGB or RGBA, not interlaced. */
const decode = (png: Buffer): Pixels => {
  const data: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = png[25] === 6 ? 4 : 3;
  const bytes = unfiltered(inflateSync(Buffer.concat(data)), width * channels, channels);
  const colors = new Uint32Array(width * height);
  for (let pixel = 0; pixel < colors.length; pixel += 1) colors[pixel] = bytes.readUIntBE(pixel * channels, 3);
  return { width, height, colors };
};

const unfiltered = (filtered: Buffer, stride: number, channels: number): Buffer => {
  const height = filtered.length / (stride + 1);
  const bytes = Buffer.alloc(height * stride);
  for (let row = 0; row < height; row += 1) {
    const filter = filtered[row * (stride + 1)] ?? 0;
    for (let column = 0; column < stride; column += 1) {
      const at = row * stride + column;
      const left = column < channels ? 0 : (bytes[at - channels] ?? 0);
      const above = row === 0 ? 0 : (bytes[at - stride] ?? 0);
      const corner = row === 0 || column < channels ? 0 : (bytes[at - stride - channels] ?? 0);
      bytes[at] = (filtered[row * (stride + 1) + 1 + column] ?? 0) + predicted(filter, left, above, corner);
    }
  }
  return bytes;
};

/** https://www.w3.org/TR/png-3/#9Filters */
const predicted = (filter: number, left: number, above: number, corner: number): number => {
  if (filter < 3) return [0, left, above][filter] ?? 0;
  if (filter === 3) return (left + above) >> 1;
  const estimate = left + above - corner;
  const [byLeft, byAbove, byCorner] = [left, above, corner].map((value) => Math.abs(estimate - value)) as [
    number,
    number,
    number,
  ];
  if (byLeft <= byAbove && byLeft <= byCorner) return left;
  return byAbove <= byCorner ? above : corner;
};

/** The most frequent colours; each other one becomes the nearest of them. */
const reduce = (colors: Uint32Array): { palette: readonly number[]; indexOf: ReadonlyMap<number, number> } => {
  const counts = new Map<number, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  const all = [...counts].sort(([a, many], [b, more]) => more - many || a - b).map(([color]) => color);
  const palette = all.slice(0, MAX_COLORS);
  const nearest = (color: number) =>
    palette.reduce((best, each, index) => (gap(each, color) < gap(palette[best] ?? 0, color) ? index : best), 0);
  return { palette, indexOf: new Map(all.map((color) => [color, nearest(color)])) };
};

const gap = (a: number, b: number): number =>
  [16, 8, 0].reduce((sum, shift) => sum + (((a >> shift) & 255) - ((b >> shift) & 255)) ** 2, 0);
