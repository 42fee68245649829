/** Style sheets are bundled as text; see build.mjs. */
declare module "*.css" {
  export const css: string;
}
