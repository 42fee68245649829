import { type ClientRequest, type IncomingMessage, request } from "node:http";

interface UploadOptions {
  readonly address: string;
  readonly channel?: string;
  readonly token?: string | undefined;
  readonly bytes: number;
  /** The address that a trusted proxy in front of the gateway names. */
  readonly from?: string;
}

/** An upload that sends its headers at once, and its body when the test says so. */
export class HeldUpload {
  readonly #request: ClientRequest;
  readonly #bytes: number;
  readonly #status: Promise<number>;
  readonly #arrived: Promise<unknown>;

  private constructor({ address, channel = "web", token, bytes, from }: UploadOptions) {
    this.#bytes = bytes;
    this.#request = request(`${address}/channels/${channel}/files?name=a.txt`, {
      method: "POST",
      agent: false,
      headers: {
        "content-length": String(bytes),
        expect: "100-continue",
        "content-type": "text/plain",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(from !== undefined && { "x-forwarded-for": from }),
      },
    });
    this.#status = new Promise((resolve) => {
      this.#request.once("response", (response: IncomingMessage) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      this.#request.on("error", () => resolve(0));
    });
    const isExpected = new Promise((resolve) => this.#request.once("continue", resolve));
    this.#arrived = Promise.race([isExpected, this.#status]);
    this.#request.flushHeaders();
  }

  /** Resolves once the gateway has the headers, and has admitted or refused the upload. */
  static async begin(options: UploadOptions): Promise<HeldUpload> {
    const upload = new HeldUpload(options);
    await upload.#arrived;
    return upload;
  }

  /** The status that the gateway sends without any byte of the body. */
  refused(): Promise<number> {
    return this.#status;
  }

  /** Sends the body; resolves to the status. */
  async finish(): Promise<number> {
    this.#request.end("x".repeat(this.#bytes));
    return this.#status;
  }

  abort(): void {
    this.#request.destroy();
  }
}
