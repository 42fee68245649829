import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildWidget } from "../../../adapters/web/widget/build.mjs";
import { widgetWebhooks } from "../../../adapters/web/widget-file.ts";
import type { WebGateway } from "./web-gateway.ts";

export interface WidgetPage {
  readonly url: string;
  /** Where the page's sockets go from now on; undefined: nowhere. */
  gateway: WebGateway | undefined;
  stop(): Promise<void>;
}

/** A page under a strict policy that embeds the widget with one tag. */
export const startWidgetPage = async (): Promise<WidgetPage> => {
  const folder = await mkdtemp(join(tmpdir(), "mooring-widget-"));
  const file = join(folder, "widget.js");
  await buildWidget(file);
  const widget = widgetWebhooks([pathToFileURL(file)])[0];
  const server = createServer(async (asked, answer) => {
    if (asked.url === "/channels/web/widget.js" && widget) {
      const { status, headers, body } = await widget.handle({
        headers: {},
        query: {},
        body: Buffer.alloc(0),
        remoteAddress: "",
      });
      answer.writeHead(status, { ...headers }).end(body);
    } else {
      const policy = "default-src 'none'; script-src 'self'; connect-src 'self' ws:; style-src 'none'";
      answer.writeHead(200, { "content-type": "text/html", "content-security-policy": policy });
      answer.end(`<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>
        <body><h1>A shop</h1><script src="/channels/web/widget.js" async></script></body></html>`);
    }
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
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
  return page;
};
