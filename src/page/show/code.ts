import { titleClass } from './notes.ts'
import { escapeHtml } from './safe-html.ts'

/** If a fence names its file, `title="a.js"`, puts its code into a box with that name. */
export function addFileName(opening: string, code: string): string {
  const name = fileName.exec(opening)?.[3]
  if (name === undefined) return code
  return `<div class="tab"><p class="${titleClass}">${escapeHtml(name)}</p>\n${code}</div>\n`
}

const fileName = /\s(title|filename)=(["'])([^"']{1,200})\2/

/** The text of a terminal session. Removes the HTML tags that colour it. */
export function terminalText(content: string, language: string): string {
  if (!/^(?:console|terminal|termy)$/i.test(language) || !/<\/(?:font|span)>/.test(content)) {
    return content
  }
  return content
    .replace(/<\/?(?:font|span|b|u|i)\b[^<>]*>/g, '')
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name]!)
}

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
}

/** Marks up callouts, such as `// <1>` at the end of a line of AsciiDoc code. */
export function markCallouts(shown: string): string {
  if (!shown.includes('&lt;')) return shown
  return shown.replace(callouts, (whole) =>
    whole.replace(/&lt;(\d{1,2})&gt;/g, '<span class="callout">$1</span>'),
  )
}

/** Matches all callouts at the end of a line at once, so that each is read only once. */
const callouts = new RegExp(
  '(?<=[ \\t])(?<!&lt;\\d{1,2}&gt;[ \\t])(?:&lt;\\d{1,2}&gt;[ \\t]?)+' +
    '(?=(?:</span>)*(?:\\n|$))',
  'g',
)
