import { render } from "preact";
import { contrastColor } from "./page/contrast-color.ts";
import { css as anchor } from "./style/anchor.css";
import { css as composer } from "./style/composer.css";
import { css as launcher } from "./style/launcher.css";
import { css as messages } from "./style/messages.css";
import { css as panel } from "./style/panel.css";
import { css as text } from "./style/text.css";
import { css as theme } from "./style/theme.css";
import { css as welcome } from "./style/welcome.css";
import { App } from "./view/app.tsx";
import type { WidgetContext } from "./view/widget-context.ts";
import type { WidgetOptions } from "./widget-options.ts";

export interface Mounted {
  rerender(): void;
  /** Adds a style sheet that was loaded on demand. */
  adopt(css: string): void;
  remove(): void;
}

/** Adds the widget to the page, in its own shadow tree. */
export const mount = (widget: WidgetContext, show: (isOpen: boolean) => void): Mounted => {
  const { options } = widget;
  const target = targetOf(options);
  const host = document.createElement("div");
  const unwatch = applyTheme(host, options);
  host.dataset.mooring = target === undefined ? "floating" : "inline";
  const shadow = host.attachShadow({ mode: "open" });
  // A constructed sheet, because a strict content security policy refuses <style>.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync([theme, panel, messages, text, anchor, welcome, composer, launcher].join(""));
  shadow.adoptedStyleSheets = [sheet];
  const adopt = (css: string) => {
    const more = new CSSStyleSheet();
    more.replaceSync(css);
    shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, more];
  };
  // Loaded before, by a chat that was shut down.
  for (const loaded of [window.mooringMarkdown, window.mooringMore]) if (loaded) adopt(loaded.css);
  (target ?? document.body).append(host);

  let rerender: () => void = () => undefined;
  let isDue = false;
  const follow = (update: () => void) => {
    rerender = update;
    return () => {
      rerender = () => undefined;
    };
  };
  render(<App widget={widget} isInline={target !== undefined} follow={follow} show={show} />, shadow);
  return {
    adopt,
    rerender() {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(() => {
        isDue = false;
        rerender();
      });
    },
    remove() {
      render(null, shadow);
      unwatch();
      host.remove();
    },
  };
};

const targetOf = ({ target }: WidgetOptions): Element | undefined => {
  if (target === undefined) return undefined;
  const element = document.querySelector(target);
  if (element === null) console.warn(`mooring: no element matches data-target="${target}"; the chat floats instead`);
  return element ?? undefined;
};

/** Sets theme, position and colours as attributes that the style sheet reads. */
const applyTheme = (host: HTMLElement, { theme, position, accent }: WidgetOptions): (() => void) => {
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => {
    host.dataset.theme = theme === "auto" ? (prefersDark.matches ? "dark" : "light") : theme;
  };
  follow();
  prefersDark.addEventListener("change", follow);
  host.dataset.position = position;
  const ink = accent === undefined ? undefined : contrastColor(accent);
  if (accent !== undefined && ink !== undefined) {
    host.style.setProperty("--mooring-accent", accent);
    host.style.setProperty("--mooring-on-accent", ink);
  }
  return () => prefersDark.removeEventListener("change", follow);
};
