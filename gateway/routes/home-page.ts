import { createHash } from "node:crypto";

export interface HomePage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #16202a; --soft: #5a6772; --paper: #f6f7f8; --line: #dde2e6; --sea: #14655a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf0; --soft: #9aa7b1; --paper: #12181d; --line: #2a343c; --sea: #58c4b2; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; background: var(--paper); color: var(--ink); font: 17px/1.6 system-ui, sans-serif; }
main { max-width: 34rem; margin: 0 8vw; padding: 18vh 0 6rem; }
h1 { margin: 0 0 .5rem; font-size: 2.4rem; letter-spacing: -.02em; }
h1::before { content: ""; display: block; width: 3rem; height: .3rem; margin-bottom: 1.2rem; border-radius: 1rem; background: var(--sea); }
p { margin: .9rem 0; }
.lead { font-size: 1.2rem; }
.soft { color: var(--soft); }
code { padding: .1em .35em; border: 1px solid var(--line); border-radius: .3em; font-size: .9em; }
`;

const WITH_WIDGET = `<p>Open the chat in the corner of this page and say something.
Reload whenever you like: the conversation is kept, and what you missed is waiting.</p>`;

const WITHOUT_WIDGET = `<p>No web channel is configured here, so there is no chat on this page.
Add <code>web: { adapter: web }</code> under <code>channels</code> and start again.</p>`;

/** Its policy allows this page's own style and the gateway's own script, and nothing else. */
export const homePage = (widgetPath: string | undefined): HomePage => ({
  html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mooring</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Mooring</h1>
<p class="lead">One agent, reachable from the chats people already use.</p>
${widgetPath === undefined ? WITHOUT_WIDGET : WITH_WIDGET}
<p class="soft">Answers can arrive minutes or hours later. Each one says what was asked, where and when.</p>
</main>
${widgetPath === undefined ? "" : `<script src="${widgetPath}" async></script>\n`}</body>
</html>
`,
  contentSecurityPolicy: [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
});
