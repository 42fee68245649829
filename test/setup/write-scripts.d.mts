import type { OutputFile, TransformOptions } from "esbuild";

export const scriptOptions: TransformOptions;
export function writeScripts(outputFiles: readonly OutputFile[]): Promise<void>;
export function namesOf(outputFiles: readonly OutputFile[]): Set<string>;
export function withoutImportCalls(source: string, names: ReadonlySet<string>): string;
export function asRunFunction(source: string): string;
export function escaped(code: string): string;
