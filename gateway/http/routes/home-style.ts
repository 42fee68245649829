/** How the first page looks. Its hash is in the page's policy. */
export const HOME_STYLE = `
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
.stage { height: min(720px, calc(100vh - 80px)); }
.stage.empty { height: auto; padding: 24px; border: 1px dashed var(--line); border-radius: 20px; }
#chat { height: 100%; border-radius: 20px; box-shadow: 0 24px 64px -24px rgb(10 40 34 / .35); }
@media (max-width: 860px) {
  main { grid-template-columns: minmax(0, 1fr); gap: 0; padding: 24px 16px; }
  .words { display: contents; }
  .anchor { justify-self: start; }
  .stage { height: min(680px, calc(100vh - 48px)); margin-top: 24px; }
  h2, ol, pre { order: 1; }
}
`;
