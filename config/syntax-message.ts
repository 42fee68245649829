import type { ErrorCode } from "yaml";

/** Our words for the library's faults: its own messages may quote the file, and with it a secret. */
export const syntaxMessage: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias takes no anchor or tag: write the value out",
  BAD_ALIAS: "this alias cannot be read: write the value out, in quotes if it begins with *",
  BAD_COLLECTION_TYPE: "this tag does not fit its value: remove the tag",
  BAD_DIRECTIVE: "lines that begin with % are not supported: remove this one",
  BAD_DQ_ESCAPE: 'a "\\" in double quotes begins an escape: double it, or use single quotes',
  BAD_INDENT: "the indentation does not fit the lines around it; is a closing bracket missing before it?",
  BAD_PROP_ORDER: "an anchor or tag stands in the wrong place: remove it",
  BAD_SCALAR_START: "a value that begins with this character needs quotes",
  BLOCK_AS_IMPLICIT_KEY: 'a value that holds ": " needs quotes, and a nested map a line of its own',
  BLOCK_IN_FLOW: "inside { } or [ ] nothing can be written in indented form: use { } and [ ] throughout",
  DUPLICATE_KEY: "this key is here twice: remove one of them",
  IMPOSSIBLE: "this cannot be read as YAML: write it more simply",
  KEY_OVER_1024_CHARS: "this key is too long; is a quote or a line break missing?",
  MISSING_CHAR: "a closing quote or bracket, a comma or a colon is missing",
  MULTILINE_IMPLICIT_KEY: "a key must be on one line; is a colon or a quote missing?",
  MULTIPLE_ANCHORS: "a value takes one anchor at most: remove the others",
  MULTIPLE_DOCS: 'the file must hold one document: remove the "---" in the middle',
  MULTIPLE_TAGS: "a value takes one tag at most: remove the others",
  NON_STRING_KEY: "a key must be text: put it in quotes",
  RESOURCE_EXHAUSTION: "is nested too deep: flatten it",
  TAB_AS_INDENT: "tabs are not allowed as indentation: use spaces",
  TAG_RESOLVE_FAILED: "tags (!name) are not supported: remove it, or put the value in quotes",
  UNEXPECTED_TOKEN: "this does not belong here; is a quote, a bracket or some indentation missing before it?",
};
