import { enMore } from "../texts/en-more.ts";
import type { Translation } from "../texts/texts.ts";
import { useWidget } from "../view/widget-context.ts";

/** All texts. A language other than English is loaded with those of these views. */
export const useTexts = (): Translation => ({ ...enMore, ...useWidget().texts });
