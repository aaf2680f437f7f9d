import { replaceOutsideCode } from '../../document/code-span.ts'
import { rewriteMarkdown } from '../../document/markdown-lines.ts'

/**
 * Makes links and pictures in Markdown absolute, so that they still work in a chunk. Resolves
 * relative targets against `base`, and `#section` against `page`. Leaves code unchanged.
 */
export function toAbsoluteLinks(
  text: string,
  { base, page }: { base: string; page: string },
): string {
  const full = (target: string) => fullTarget(target, target.startsWith('#') ? page : base)
  const prose = (line: string) =>
    /[\]"'] ?[(:=]|=["']/.test(line) ? absoluteLine(line, full) : line
  return rewriteMarkdown(text, { prose })
}

function absoluteLine(line: string, full: (target: string) => string): string {
  const reference = /^( {0,3}\[[^\]]+\]:\s+<?)([^\s>]+)/.exec(line)
  if (reference) {
    const [whole, before, target] = reference as unknown as [string, string, string]
    return before + full(target) + line.slice(whole.length)
  }
  return replaceOutsideCode(line, inline, ([, before = '', marked, tagBefore = '', tagged]) => {
    return marked === undefined ? tagBefore + full(tagged!) : before + full(marked)
  })
}

const inline = new RegExp(
  '(\\]\\(\\s*<?)([^\\s()<>]+(?:\\([^\\s()]*\\)[^\\s()<>]*)?)' +
    '|(<(?:a|img)\\s(?:[^<>]*\\s)?(?:href|src)=["\'])([^"\'<>\\s]+)',
  'gi',
)

function fullTarget(target: string, base: string): string {
  if (/^[a-z][a-z\d+.-]*:/i.test(target)) return target
  return URL.parse(target, base)?.href ?? target
}
