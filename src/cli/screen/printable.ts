import { spelt } from '../../platform/error.ts'

/**
 * Text without the characters by which a page could take over a terminal: ESC and the other C0
 * and C1 controls, DEL; line feed and tab stay. Marks that turn the direction of writing, which
 * would show another order than there is, are spelt out.
 */
export function printable(text: string): string {
  return spelt(text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, ''))
}
