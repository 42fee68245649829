import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { isWebhookAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import { channelPath } from "./webhooks.ts";

/** The page at the gateway's address. */
export const homeRoute = (app: FastifyInstance, adapters: readonly ChannelAdapter[], isPersonal: boolean): void => {
  const page = homePage(widgetPath(adapters), isPersonal);
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

const SWITCH_OWNER = `Run <code>mooring chat</code> in a terminal and ask it to research a few things there, then leave it with
<code>/quit</code>. The answer reaches you here, and says where you asked.`;

const SWITCH_LINKED = `Write <code>/link</code> here. Send the command that you get in another browser, or on another
channel, such as <code>mooring chat</code> in a terminal, and confirm on both sides. Answers to what you ask there in the background
then reach you here as well.`;

const embedding = (path: string): string => `<h2>On your own page</h2>
<pre tabindex="0"><code>&lt;script src="https://…${path}" async&gt;&lt;/script&gt;</code></pre>`;

/** The page introduces Mooring with a live chat. Its policy allows only its own style and the gateway's scripts. */
const homePage = (widgetPath: string | undefined, isPersonal: boolean): HomePage => ({
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
<p class="lead">One agent, reachable from the chats people already use. It works in the background, and every
proactive message says where it comes from:</p>
<p class="anchor"><b>deep research 8 historical topics</b><br>started 21:14 from Slack · 2h 14m ago</p>
<h2>Try it here</h2>
<ol>
<li><b>Give it work.</b> Ask it to research a few things. One entry shows the subtasks; open it to see or cancel each of them.</li>
<li><b>Leave the conversation.</b> Ask for a reminder in 20 seconds, then start a new conversation with the pencil. The reminder
marks the list of conversations: in the first one it says where it comes from.</li>
<li><b>Switch channels.</b> ${isPersonal ? SWITCH_OWNER : SWITCH_LINKED}</li>
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
    "img-src 'self' data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
});

/** The style of the page. The page's policy contains its hash. */
const HOME_STYLE = `
:root {
  color-scheme: light dark; --ink: #17211f; --soft: #5b6865; --paper: #f3f6f5; --card: #fff; --line: #dfe6e4; --sea: #0b5f53;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eeec; --soft: #9fb0ac; --paper: #0e1413; --card: #141a19; --line: #2b3634; --sea: #6fd6c4; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main {
  display: grid; grid-template-columns: minmax(0, 1fr) minmax(360px, 440px); gap: clamp(32px, 6vw, 96px); align-items: center;
  max-width: 1120px; min-height: 100vh; margin: 0 auto; padding: 40px 24px;
}
h1 { margin: 0 0 12px; font-size: clamp(2.4rem, 5vw, 3.4rem); line-height: 1.1; letter-spacing: -.03em; }
h2 { margin: 32px 0 8px; font-size: 1rem; letter-spacing: -.01em; }
p { margin: 12px 0; }
.lead { font-size: 1.2rem; line-height: 1.5; text-wrap: pretty; }
.anchor {
  display: inline-block; margin: 8px 0 0; padding: 10px 18px; border-inline-start: 3px solid var(--sea); border-radius: 4px 14px 14px 4px;
  background: var(--card); font-size: .95rem; line-height: 1.45; color: var(--soft);
}
.anchor b { font-weight: 600; color: var(--sea); }
ol { margin: 0; padding-inline-start: 1.3em; color: var(--soft); }
li { margin: 8px 0; padding-inline-start: 4px; }
li b { color: var(--ink); font-weight: 600; }
li::marker { color: var(--sea); font-weight: 600; }
code { padding: .1em .4em; border: 1px solid var(--line); border-radius: 6px; background: var(--card); font-size: .88em; }
pre { margin: 0; padding: 12px 16px; overflow-x: auto; border: 1px solid var(--line); border-radius: 12px; background: var(--card); }
pre code { padding: 0; border: 0; background: none; font-size: .82rem; }
.stage { position: sticky; top: 40px; bottom: 40px; height: min(720px, calc(100vh - 80px)); }
.stage.empty { height: auto; padding: 24px; border: 1px dashed var(--line); border-radius: 20px; }
#chat { height: 100%; border-radius: 20px; box-shadow: 0 24px 64px -24px rgb(10 40 34 / .35); }
@media (max-width: 860px) {
  main { grid-template-columns: minmax(0, 1fr); gap: 0; padding: 24px 16px; }
  .words { display: contents; }
  .anchor { justify-self: start; }
  .stage { position: static; height: min(680px, calc(100vh - 48px)); margin-top: 24px; }
  h2, ol, pre { order: 1; }
}
`;
