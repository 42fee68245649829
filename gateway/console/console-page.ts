/** Served for every address below `/console`; the browser renders it with data of the admin API. */
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
<noscript>The console needs JavaScript. The admin API at /admin/api/ offers the same data and actions.</noscript>
<script type="module" src="/console/assets/console.js"></script>
</body>
</html>
`;

/** Allows the console's own script, style and API only: no frames, no form targets, no inline scripts. */
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
