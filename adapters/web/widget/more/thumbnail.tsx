import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface ThumbnailProps {
  readonly id: string | number;
  /** Absent: the file has no thumbnail. */
  readonly load: (() => Promise<ImageBitmap>) | undefined;
  readonly children: ComponentChildren;
}

/** A small picture of a file; the children until it is loaded, or if it cannot be shown. */
export const Thumbnail = ({ id, load, children }: ThumbnailProps) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isLoaded, setLoaded] = useState(false);
  const canLoad = load !== undefined;
  useEffect(() => {
    let isShown = true;
    const draw = (image: ImageBitmap) => {
      const { current } = canvas;
      if (!isShown || current === null) return;
      current.width = image.width;
      current.height = image.height;
      current.getContext("2d")?.drawImage(image, 0, 0);
      setLoaded(true);
    };
    load?.().then(draw, () => undefined);
    return () => {
      isShown = false;
    };
    // The loader is a new function in each pass, and loads the same file.
  }, [id, canLoad]);
  return (
    <>
      {canLoad && <canvas ref={canvas} class="thumbnail" hidden={!isLoaded} />}
      {!isLoaded && children}
    </>
  );
};
