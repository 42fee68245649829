import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { widgetWebhooks } from "../../../../adapters/web/server/widget-routes.ts";
import { buildWidget } from "../../../../adapters/web/widget/build.mjs";
import type { WebGateway } from "../web-gateway.ts";

export interface WidgetPage {
  readonly url: string;
  /** The target of the page's sockets and requests from now on; undefined: none. */
  gateway: WebGateway | undefined;
  /** Attributes of the script's tag. */
  attributes: string;
  /** The pictures that the page's policy allows. */
  images: string;
  /** Further HTML of the page, before the script. */
  body: string;
  stop(): Promise<void>;
}

const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self' ws:; style-src 'none'; img-src";

/** A page with a strict content security policy that embeds the widget with one tag. */
export const startWidgetPage = async (): Promise<WidgetPage> => {
  const folder = await mkdtemp(join(tmpdir(), "mooring-widget-"));
  await buildWidget(folder);
  const scripts = widgetWebhooks([pathToFileURL(`${folder}/`)]);

  const serveChannel = async (asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(asked.url ?? "", "http://localhost");
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk);
    const files = page.gateway?.adapter.webhooks.filter(({ path }) => !path.endsWith(".js")) ?? [];
    const webhook = [...scripts, ...files].find(
      ({ method, path }) => method === asked.method && pathname === `/channels/web/${path}`,
    );
    if (webhook === undefined) {
      answer.writeHead(404).end();
      return;
    }
    const headers = Object.fromEntries(
      Object.entries(asked.headers).map(([name, value]) => [
        name,
        name === "origin" ? page.gateway?.origin : `${value}`,
      ]),
    );
    const {
      status,
      headers: responseHeaders,
      body,
    } = await webhook.handle({
      headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<
        string,
        string
      >,
      query: Object.fromEntries(searchParams),
      body: Buffer.concat(chunks),
      remoteAddress: "",
      whenClosed: () => undefined,
    });
    answer.writeHead(status, { ...responseHeaders });
    if (body instanceof Readable) body.pipe(answer);
    else answer.end(body);
  };

  const server = createServer((asked, answer) => {
    if (asked.url?.startsWith("/channels/web/")) {
      serveChannel(asked, answer).catch(() => answer.destroy());
      return;
    }
    answer.writeHead(200, { "content-type": "text/html", "content-security-policy": `${POLICY} ${page.images}` });
    answer.end(`<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>Shop</title>
      </head><body><main><h1>A shop</h1></main>${page.body}
      <script src="/channels/web/widget.js" async ${page.attributes}></script></body></html>`);
  });
  server.on("upgrade", (asked, stream) => {
    stream.on("error", () => undefined);
    if (page.gateway === undefined) {
      stream.destroy();
      return;
    }
    const upstream = connect(Number(new URL(page.gateway.url).port), "127.0.0.1");
    upstream.on("error", () => stream.destroy());
    const head = Object.entries({ ...asked.headers, origin: page.gateway.origin }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    upstream.write(`GET / HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`);
    upstream.pipe(stream).pipe(upstream);
    stream.on("close", () => upstream.destroy());
    upstream.on("close", () => stream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const page: WidgetPage = {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    gateway: undefined,
    attributes: "",
    images: "'none'",
    body: "",
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
  return page;
};
