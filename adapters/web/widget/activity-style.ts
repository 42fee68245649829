/** How delegated work looks. */
export const ACTIVITY_STYLE = `
.activity { align-self: stretch; border: 1px solid var(--line); border-radius: 12px; font-size: 13px; overflow: hidden; }
.activity .toggle {
  display: flex; align-items: center; gap: 8px; width: 100%; min-height: 44px; padding: 8px 12px 8px 8px;
  border: 0; background: none; color: var(--ink); text-align: start;
}
.activity .toggle:hover { background: var(--soft); }
.activity .toggle:focus-visible { outline-offset: -2px; border-radius: 12px; }
.activity .toggle svg { flex: none; width: 20px; height: 20px; color: var(--faint); transition: rotate .15s; }
.activity .toggle[aria-expanded="true"] svg { rotate: 90deg; }
.activity .lines { flex: 1; min-width: 0; }
.activity .title { display: block; font-weight: 600; overflow-wrap: anywhere; }
.activity .progress { color: var(--faint); font-variant-numeric: tabular-nums; }
.activity ul { list-style: none; margin: 0; padding: 0 12px; }
.activity li { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 4px 8px; padding: 9px 0; border-top: 1px solid var(--line); }
.activity .facts { flex: 1; min-width: 0; position: relative; padding-inline-start: 24px; line-height: 1.5; }
.activity .mark { position: absolute; inset-inline-start: 0; width: 16px; text-align: center; color: var(--accent); }
.activity .running .mark { animation: blink 1.6s infinite; }
.activity .failed .mark, .activity .failed .state { color: var(--bad); }
.activity .pending .mark, .activity .cancelled .mark { color: var(--faint); }
.activity .name { overflow-wrap: anywhere; }
.activity .cancelled .name { text-decoration: line-through; }
.activity .state { margin-inline-start: 4px; color: var(--faint); white-space: nowrap; font-variant-numeric: tabular-nums; }
.activity .told { flex: none; width: 100%; margin: 0; padding-inline-start: 24px; color: var(--faint); overflow-wrap: anywhere; white-space: pre-wrap; }
.activity .cancel { min-height: 30px; padding: 3px 11px; border: 1px solid var(--line); border-radius: 15px; background: var(--paper); color: var(--ink); }
.activity .cancel:hover { border-color: var(--bad); color: var(--bad); }
.activity .cancel[aria-disabled="true"] { color: var(--faint); border-color: var(--line); cursor: default; }
@media (max-width: 480px) { .activity .cancel { min-height: 36px; } }
@media (prefers-reduced-motion: reduce) { .activity .running .mark { animation: none; } .activity .toggle svg { transition: none; } }
`;
