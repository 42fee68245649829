/** Every address below `/console` is this page: what it shows is decided in the browser, from what the admin API says. */
export const CONSOLE_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Mooring console</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/assets/console.css">
</head>
<body>
<div id="console"></div>
<noscript>The console needs JavaScript. The same is in the admin API, under /admin/api/.</noscript>
<script type="module" src="/console/assets/console.js"></script>
</body>
</html>
`;

/** Its own script, style and API, and nothing else: no frames, no forms, no text that becomes a script. */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");
