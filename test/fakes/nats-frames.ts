/**
 * Splits one direction of a NATS connection into frames: a control line and its payload. An incomplete frame waits for
 * the next bytes.
 */
export class NatsFrames {
  #rest: Buffer = Buffer.alloc(0);

  take(bytes: Buffer): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const frames: Buffer[] = [];
    for (let length = frameLength(this.#rest); length !== undefined; length = frameLength(this.#rest)) {
      frames.push(this.#rest.subarray(0, length));
      this.#rest = this.#rest.subarray(length);
    }
    return frames;
  }
}

const frameLength = (bytes: Buffer): number | undefined => {
  const lineEnd = bytes.indexOf("\r\n");
  if (lineEnd < 0) return undefined;
  const line = bytes.toString("latin1", 0, lineEnd);
  const length = lineEnd + 2 + (/^H?(PUB|MSG) /i.test(line) ? Number(line.split(" ").at(-1)) + 2 : 0);
  return length <= bytes.length ? length : undefined;
};
