import type {
  ClientSocket,
  SocketAdapter,
  SocketRequest,
  Webhook,
  WebhookAdapter,
  WebhookRequest,
} from "../../adapters/contract/abilities.ts";
import type { Capabilities, Receipt } from "../../adapters/contract/channel-adapter.ts";
import { AppError } from "../../core/contract/app-error.ts";

/** A channel with webhooks and a socket that records its requests. */
export class ServedChannel implements SocketAdapter, WebhookAdapter {
  readonly channel: string;
  readonly capabilities: Capabilities = { connection: "shared", resend: "log" };
  readonly socket = { protocol: "test.v1", maxFrameBytes: 1_000 };
  readonly requests: WebhookRequest[] = [];
  readonly connections: SocketRequest[] = [];
  readonly webhooks: readonly Webhook[] = [
    this.#webhook("POST", "events", async () => ({ status: 202, headers: { "x-own": "yes" }, body: "taken" })),
    this.#webhook("POST", "broken", async () => {
      throw new Error("the secret plan");
    }),
    this.#webhook("POST", "starting", async () => ({ status: 503, body: "not ready" })),
    this.#webhook("POST", "refused", async () => {
      throw new AppError("rate-limited", "Too many; try again in a minute.");
    }),
    this.#webhook("GET", "widget.js", async () => ({
      status: 200,
      headers: { "content-type": "text/javascript; charset=utf-8", "cache-control": "max-age=60" },
      body: "void 0",
    })),
  ];

  constructor(channel: string) {
    this.channel = channel;
  }

  async start(): Promise<void> {}
  async stop(): Promise<void> {}
  async deliver(): Promise<Receipt> {
    return { messageId: "1" };
  }

  admit(request: SocketRequest): { status: number; message: string } | undefined {
    return request.origin === "http://evil.example" ? { status: 403, message: "This site may not." } : undefined;
  }

  connect(socket: ClientSocket, request: SocketRequest): void {
    this.connections.push(request);
    socket.on("message", (data) => socket.send(data, { binary: false }));
  }

  #webhook(method: Webhook["method"], path: string, handle: () => ReturnType<Webhook["handle"]>): Webhook {
    return {
      method,
      path,
      maxBodyBytes: method === "GET" ? 0 : 100,
      handle: (request) => {
        this.requests.push(request);
        return handle();
      },
    };
  }
}
