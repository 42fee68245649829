import { inflateRawSync } from "node:zlib";
import { Unreadable } from "./unreadable.ts";

const CENTRAL_ENTRY = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const MAX_ENTRIES = 20_000;
const STORED = 0;
const DEFLATED = 8;

interface Entry {
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly compressedBytes: number;
  readonly offset: number;
}

/**
 * Reads parts of a ZIP file. All parts together may inflate to `maxBytes`: the announced sizes are not trusted, because
 * a bomb of a few kilobytes can announce anything.
 */
export class Zip {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, Entry>();
  #left: number;

  constructor(bytes: Uint8Array, maxBytes: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#left = maxBytes;
    this.#readDirectory();
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Undefined: there is no such part. */
  text(name: string): string | undefined {
    const entry = this.#entries.get(name);
    return entry && new TextDecoder().decode(this.#inflate(entry));
  }

  #inflate({ method, isEncrypted, compressedBytes, offset }: Entry): Buffer {
    if (isEncrypted) throw new Unreadable("is protected with a password");
    const nameBytes = this.#bytes.readUInt16LE(offset + 26);
    const extraBytes = this.#bytes.readUInt16LE(offset + 28);
    const from = offset + 30 + nameBytes + extraBytes;
    const data = this.#bytes.subarray(from, from + compressedBytes);
    if (data.length !== compressedBytes) throw new Unreadable("is damaged");
    const inflated = method === STORED ? data : this.#deflated(method, data);
    if (inflated.length > this.#left) throw new Unreadable(TOO_LARGE);
    this.#left -= inflated.length;
    return inflated;
  }

  #deflated(method: number, data: Buffer): Buffer {
    if (method !== DEFLATED) throw new Unreadable("is compressed in an unusual way");
    try {
      return inflateRawSync(data, { maxOutputLength: Math.max(1, this.#left) });
    } catch (error) {
      const isBomb = error instanceof RangeError || (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE";
      throw new Unreadable(isBomb ? TOO_LARGE : "is damaged", { cause: error });
    }
  }

  #readDirectory(): void {
    const end = this.#findEnd();
    const count = this.#bytes.readUInt16LE(end + 10);
    if (count > MAX_ENTRIES) throw new Unreadable("has too many parts");
    let at = this.#bytes.readUInt32LE(end + 16);
    for (let index = 0; index < count; index++) {
      if (at + 46 > this.#bytes.length || this.#bytes.readUInt32LE(at) !== CENTRAL_ENTRY) {
        throw new Unreadable("is damaged");
      }
      const nameBytes = this.#bytes.readUInt16LE(at + 28);
      const name = this.#bytes.toString("utf8", at + 46, at + 46 + nameBytes);
      this.#entries.set(name, {
        isEncrypted: (this.#bytes.readUInt16LE(at + 8) & 1) === 1,
        method: this.#bytes.readUInt16LE(at + 10),
        compressedBytes: this.#bytes.readUInt32LE(at + 20),
        offset: this.#bytes.readUInt32LE(at + 42),
      });
      at += 46 + nameBytes + this.#bytes.readUInt16LE(at + 30) + this.#bytes.readUInt16LE(at + 32);
    }
  }

  #findEnd(): number {
    const last = this.#bytes.length - END_BYTES;
    for (let at = last; at >= 0 && at >= last - MAX_COMMENT_BYTES; at--) {
      if (this.#bytes.readUInt32LE(at) === END_OF_DIRECTORY) return at;
    }
    throw new Unreadable("is damaged or incomplete");
  }
}

const TOO_LARGE = "unpacks to too much data";
