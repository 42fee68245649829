const STYLE = `
  body { margin: 0; padding: 18px 22px; background: #10201d; color: #dbe7e4; font: 14px/1.5 "DejaVu Sans Mono", monospace; }
  pre { margin: 0; font: inherit; white-space: pre-wrap; }
  b { color: #6fd6c4; font-weight: normal; }
`;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** A page that looks like a terminal after a command. */
export const terminalPage = (command: string, output: string): string =>
  `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><pre><b>$ ${escaped(command)}</b>\n\n${escaped(output.trim())}</pre>`;
