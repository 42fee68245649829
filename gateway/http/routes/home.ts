import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { isWebhookAdapter } from "../../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../../adapters/contract/channel-adapter.ts";
import { HOME_STYLE } from "./home-style.ts";
import { channelPath } from "./webhooks.ts";

/** The page at the gateway's address. */
export const homeRoute = (app: FastifyInstance, adapters: readonly ChannelAdapter[]): void => {
  const page = homePage(widgetPath(adapters));
  app.get("/", async (_request, reply) =>
    reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", page.contentSecurityPolicy)
      .send(page.html),
  );
};

/** The first channel that serves a widget. */
const widgetPath = (adapters: readonly ChannelAdapter[]): string | undefined => {
  const adapter = adapters.find((each) => isWebhookAdapter(each) && each.webhooks.some(({ path }) => path === WIDGET));
  return adapter === undefined ? undefined : channelPath(adapter.channel, WIDGET);
};

const WIDGET = "widget.js";

interface HomePage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

const SUGGESTIONS = ["What can you do?", "Research lighthouses, tides and knots", "In 20 s remind me to stretch"];

const withWidget = (path: string): string => `<div class="stage"><div id="chat"></div></div>
<script src="${path}" async data-target="#chat" data-suggestions="${SUGGESTIONS.join("|")}"></script>`;

const WITHOUT_WIDGET = `<p class="stage empty">No web channel is configured here, so there is no chat on this page.
Add <code>web: { adapter: web }</code> under <code>channels</code> and start again.</p>`;

const embedding = (path: string): string => `<h2>On your own page</h2>
<pre tabindex="0"><code>&lt;script src="https://…${path}" async&gt;&lt;/script&gt;</code></pre>`;

/** Shows what this is by letting people use it. Its policy allows its own style, the gateway's scripts, and no more. */
const homePage = (widgetPath: string | undefined): HomePage => ({
  html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mooring</title>
<link rel="icon" href="data:,">
<style>${HOME_STYLE}</style>
</head>
<body>
<main>
<section class="words">
<h1>Mooring</h1>
<p class="lead">One agent, reachable from the chats people already use. It works in the background, and every answer
that comes by itself says where it came from:</p>
<p class="anchor"><b>deep research 8 historical topics</b><br>started 21:14 from Slack · 2h 14m ago</p>
<h2>Try it here</h2>
<ol>
<li><b>Give it work.</b> Ask it to research a few things. Its helpers are one entry that you can open, and cancel.</li>
<li><b>Walk away.</b> Ask for a reminder in 20 seconds, then begin a new conversation with the pencil. The answer
finds you, with its anchor.</li>
<li><b>Change places.</b> Write <code>/link</code> here, and enter the code on another channel, such as
<code>mooring chat</code> in a terminal. Answers to what you ask there then reach you here as well.</li>
</ol>
${widgetPath === undefined ? "" : embedding(widgetPath)}
</section>
${widgetPath === undefined ? WITHOUT_WIDGET : withWidget(widgetPath)}
</main>
</body>
</html>
`,
  contentSecurityPolicy: [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'sha256-${createHash("sha256").update(HOME_STYLE).digest("base64")}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
});
