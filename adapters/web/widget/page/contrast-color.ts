/** Black or white text for a background as #rrggbb; undefined for any other notation. */
export const contrastColor = (accent: string): string | undefined => {
  const [red, green, blue] = /^#[0-9a-f]{6}$/i.test(accent)
    ? [1, 3, 5].map((at) => linear(Number.parseInt(accent.slice(at, at + 2), 16) / 255))
    : [];
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.179 ? "#000" : "#fff";
};

const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
