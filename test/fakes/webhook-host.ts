import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { WebhookAdapter } from "../../adapters/contract/abilities.ts";

/** Serves the webhooks of adapters at `/channels/<channel>/<path>`, as the gateway does. */
export class WebhookHost {
  readonly #adapters = new Map<string, WebhookAdapter>();
  readonly #server: Server = createServer((request, response) => {
    void (async () => {
      const [, , channel = "", path] = (request.url ?? "").split("?", 1)[0]?.split("/") ?? [];
      const webhook = this.#adapters.get(channel)?.webhooks.find((hook) => hook.path === path);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (webhook === undefined) return response.writeHead(404).end();
      const headers = request.headers as Record<string, string | undefined>;
      const body = Buffer.concat(chunks);
      const answer = await webhook.handle({
        headers,
        query: {},
        body,
        remoteAddress: "127.0.0.1",
        whenClosed: () => undefined,
      });
      return response.writeHead(answer.status, answer.headers).end(answer.body);
    })().catch(() => response.destroy());
  });

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  /** Routes requests for the adapter's channel to it from now on. */
  mount(adapter: WebhookAdapter): void {
    this.#adapters.set(adapter.channel, adapter);
  }

  urlOf(channel: string, path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/channels/${channel}/${path}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
