import type { ParsedFile, ParsedText } from '../parsed-text.ts'
import { autodocDefaults } from './rst-object.ts'
import { withoutRoles } from './rst-role.ts'
import { simplifyRst } from './rst-text.ts'

export function parseRst(
  text: string,
  { growth, lookup, variables, titles }: ParsedFile,
): ParsedText {
  return {
    text: simplifyRst(text, { growth, lookup, titles, defaults: autodocDefaults(variables) }),
    markup: 'rst',
    written: withoutRoles(text, titles),
  }
}
