/** Put into the page as a constructed sheet, so that a strict content security policy does not refuse it. */
export const STYLE = `
:host {
  all: initial;
  --accent: var(--mooring-accent, #14655a);
  --on-accent: var(--mooring-on-accent, #fff);
  --paper: #fff; --ink: #1b2321; --soft: #eef2f1; --faint: #5a6663; --line: #d9e0de; --bad: #a8201a;
  color-scheme: light dark;
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :host {
    --accent: var(--mooring-accent, #58c4b2); --on-accent: var(--mooring-on-accent, #06231e);
    --paper: #161c1b; --ink: #e7eeec; --soft: #222b29; --faint: #9caaa6; --line: #2f3a38; --bad: #ff8f87;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
button { font: inherit; cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
svg { width: 24px; height: 24px; fill: currentColor; display: block; }
.launcher, .panel { position: fixed; z-index: 2147483000; inset-inline-end: 20px; }
.launcher {
  bottom: 20px; width: 56px; height: 56px; border: 0; border-radius: 50%; display: grid; place-items: center;
  background: var(--accent); color: var(--on-accent); box-shadow: 0 4px 16px rgb(0 0 0 / .25);
}
.badge {
  position: absolute; top: -2px; inset-inline-end: -2px; min-width: 20px; height: 20px; padding: 0 5px;
  border-radius: 10px; background: var(--bad); color: var(--paper); font-size: 12px; line-height: 20px; font-weight: 600;
}
.panel {
  bottom: 88px; width: 384px; height: min(620px, calc(100dvh - 108px)); display: flex; flex-direction: column;
  background: var(--paper); color: var(--ink); border: 1px solid var(--line); border-radius: 16px; overflow: hidden;
  box-shadow: 0 12px 40px rgb(0 0 0 / .22);
}
header { display: flex; align-items: center; gap: 8px; padding: 10px 10px 10px 16px; border-bottom: 1px solid var(--line); }
header h2 { margin: 0; font-size: 16px; font-weight: 600; }
.status { flex: 1; font-size: 13px; color: var(--faint); }
.plain { border: 0; background: none; color: var(--faint); padding: 6px; border-radius: 8px; }
.plain:hover { background: var(--soft); }
.scroll { flex: 1; overflow-y: auto; padding: 16px; overscroll-behavior: contain; }
.log, .drafts { display: flex; flex-direction: column; gap: 10px; }
.drafts:not(:empty) { margin-top: 10px; }
.said, .reply { max-width: 86%; padding: 9px 13px; border-radius: 16px; overflow-wrap: anywhere; }
.said { align-self: flex-end; background: var(--accent); color: var(--on-accent); white-space: pre-wrap; border-end-end-radius: 4px; }
.said.command { padding: 4px 11px; font-size: 13px; background: none; color: var(--faint); border: 1px solid var(--line); }
.said.pending { opacity: .65; }
.said.failed { background: var(--soft); color: var(--ink); border: 1px solid var(--bad); }
.why, .reply.failed { color: var(--bad); }
.reply { align-self: flex-start; background: var(--soft); border-end-start-radius: 4px; }
.reply.aside { background: none; padding: 0 4px; font-size: 13px; color: var(--faint); }
.reply > :first-child, .why { margin-top: 0; }
.reply > :last-child, .why { margin-bottom: 0; }
.reply p, .reply ul, .reply ol, .reply pre { margin: 8px 0; }
.reply ul, .reply ol { padding-inline-start: 22px; }
.reply a { color: inherit; text-underline-offset: 2px; }
code { font: 13px/1.4 ui-monospace, SFMono-Regular, Menlo, monospace; }
pre { padding: 10px; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; overflow-x: auto; }
.reply .anchor { margin: 0 0 8px; }
.anchor { margin: 8px 12px 0; padding-inline-start: 9px; border-inline-start: 3px solid var(--accent); font-size: 13px; color: var(--faint); }
.actions { display: flex; flex-wrap: wrap; gap: 6px; }
.actions button { padding: 4px 11px; border: 1px solid var(--line); border-radius: 14px; background: var(--paper); color: var(--ink); font-size: 13px; }
.note, .empty { margin: 0; text-align: center; font-size: 13px; color: var(--faint); }
.empty { padding: 32px 16px; }
.older { align-self: center; margin: 0 auto 12px; display: block; font-size: 13px; }
.typing { display: flex; gap: 4px; padding: 12px 4px 0; }
.typing i { width: 7px; height: 7px; border-radius: 50%; background: var(--faint); animation: blink 1.2s infinite; }
.typing i:nth-child(2) { animation-delay: .2s; }
.typing i:nth-child(3) { animation-delay: .4s; }
@keyframes blink { 0%, 60%, 100% { opacity: .25; } 30% { opacity: 1; } }
.answering { display: flex; align-items: center; gap: 8px; padding: 4px 6px 4px 14px; border-top: 1px solid var(--line); font-size: 13px; color: var(--faint); }
.answering span { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
form { display: flex; align-items: flex-end; gap: 8px; padding: 10px; border-top: 1px solid var(--line); }
textarea {
  flex: 1; resize: none; min-height: 42px; max-height: 140px; padding: 9px 12px; font: inherit; field-sizing: content;
  color: var(--ink); background: var(--soft); border: 1px solid transparent; border-radius: 12px;
}
textarea:focus-visible { outline-offset: -1px; }
textarea::placeholder { color: var(--faint); opacity: 1; }
.send { flex: none; width: 42px; height: 42px; border: 0; border-radius: 12px; display: grid; place-items: center; background: var(--accent); color: var(--on-accent); }
.send:disabled { opacity: .45; cursor: default; }
@media (max-width: 480px) {
  .panel { inset: 0; width: auto; height: 100dvh; border: 0; border-radius: 0; }
  .panel:not([hidden]) + .launcher { display: none; }
  textarea { font-size: 16px; }
}
@media (prefers-reduced-motion: reduce) { .typing i { animation: none; } }
`;
