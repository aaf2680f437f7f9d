import { closesFence, openedFence, type Fence } from './fence.ts'

/**
 * Markdown whose links and pictures are written in full, so that they lead there from a chunk, too.
 * `base` is where the text was read, `page` the page that `#section` means. Code stays as it is.
 */
export function absoluteMarkdown(
  text: string, { base, page }: { base: string; page: string },
): string {
  let fence: Fence | null = null
  const full = (target: string) => fullTarget(target, target.startsWith('#') ? page : base)
  return text.split('\n').map((line) => {
    const wasOpen = fence !== null
    fence = fence ? (closesFence(fence, line) ? null : fence) : openedFence(line)
    if (wasOpen || fence !== null || !/[\]"'] ?[(:=]|=["']/.test(line)) return line
    return absoluteLine(line, full)
  }).join('\n')
}

function absoluteLine(line: string, full: (target: string) => string): string {
  const reference = /^( {0,3}\[[^\]]+\]:\s+<?)([^\s>]+)/.exec(line)
  if (reference) {
    const [whole, before, target] = reference as unknown as [string, string, string]
    return before + full(target) + line.slice(whole.length)
  }
  // Code between ticks is matched first, so that nothing in it is taken for a link.
  return line.replace(inline, (...match: string[]) => {
    const [whole, , markBefore, marked, tagBefore, tagged] = match as (string | undefined)[]
    if (marked !== undefined) return markBefore + full(marked)
    return tagged === undefined ? whole! : tagBefore + full(tagged)
  })
}

const inline = new RegExp(
  '(?<!`)(`+)(?!`)[^\\n]*?(?<!`)\\1(?!`)'
  + '|(\\]\\(\\s*<?)([^\\s()<>]+(?:\\([^\\s()]*\\)[^\\s()<>]*)?)'
  + '|(<(?:a|img)\\s(?:[^<>]*\\s)?(?:href|src)=["\'])([^"\'<>\\s]+)',
  'gi')

function fullTarget(target: string, base: string): string {
  if (/^[a-z][a-z\d+.-]*:/i.test(target)) return target
  return URL.parse(target, base)?.href ?? target
}
