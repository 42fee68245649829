/** Twice the shown size, for dense screens. */
const MAX_PIXELS = 480;

/** The types that browsers decode without scripts or further requests; SVG has both. */
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** A larger image is not loaded for a thumbnail. */
const MAX_BYTES = 10_000_000;

export const mayHaveThumbnail = ({
  mediaType,
  bytes = 0,
}: {
  mediaType: string;
  bytes?: number | undefined;
}): boolean => IMAGE_TYPES.includes(mediaType) && bytes <= MAX_BYTES;

/** A small copy, for a canvas: pages may forbid images, but not drawings. Rejects if the bytes are not an image. */
export const thumbnailOf = async (image: Blob): Promise<ImageBitmap> => {
  const whole = await createImageBitmap(image);
  const scale = Math.min(1, MAX_PIXELS / Math.max(whole.width, whole.height));
  const resizeWidth = Math.max(1, Math.round(whole.width * scale));
  const resizeHeight = Math.max(1, Math.round(whole.height * scale));
  const small = await createImageBitmap(whole, { resizeWidth, resizeHeight, resizeQuality: "medium" });
  whole.close();
  return small;
};
