import { Fragment } from "preact";
import { useCallback, useEffect, useId, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import { jsx, jsxs } from "preact/jsx-runtime";
import { Icon } from "./view/icon.tsx";
import { ActionButtons } from "./view/messages/action-buttons.tsx";
import { AnchorChip } from "./view/messages/anchor-chip.tsx";
import { Elapsed } from "./view/messages/live-time.tsx";
import { Tool } from "./view/messages/message-tools.tsx";
import { useWidget } from "./view/widget-context.ts";

/** The modules that `widget-more.js` shares with `widget.js` instead of a second copy; build.mjs lists their files. */
const kit = {
  ActionButtons,
  AnchorChip,
  Elapsed,
  Fragment,
  Icon,
  Tool,
  jsx,
  jsxs,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useReducer,
  useRef,
  useState,
  useWidget,
};

export const publishKit = (): void => {
  window.mooringKit = kit;
};

declare global {
  interface Window {
    mooringKit?: typeof kit;
  }
}
