import { dedent, trimBlankLines } from '../docstring/indent.ts'

/**
 * Converts a documentation comment to Markdown. Removes example lines that rustdoc hides, and links
 * to other items.
 * @param text the comment without comment marks
 */
export function rustdocToMarkdown(text: string): string {
  const output: string[] = []
  let fence = null as { mark: string; isRust: boolean } | null
  const lines = trimBlankLines(dedent(`\n${text}`))
  const webLinks = new Set(lines.flatMap((line) => webTarget.exec(line)?.[1] ?? []))
  for (const line of lines) {
    const [, indent = '', mark, words = ''] = /^( *)(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    if (fence === null && mark !== undefined) {
      const language = fenceLanguage(words)
      fence = { mark, isRust: language === 'rust' }
      output.push(`${indent}${mark}${language}`)
    } else if (fence !== null) {
      const isEnd = mark?.startsWith(fence.mark) && words.trim() === ''
      if (isEnd || !fence.isRust || !isHidden(line)) {
        output.push(fence.isRust ? line.replace(/^( *)##/, '$1#') : line)
      }
      if (isEnd) fence = null
    } else if (!linkTarget.test(line)) output.push(withoutItemLinks(line, webLinks))
  }
  const end = fence === null ? [] : [fence.mark]
  return [...trimBlankLines(output), ...end].join('\n')
}

/** Words in a code fence that configure the test of an example. */
const testWord =
  /^(?:rust|ignore(?:-\S+)?|no_run|should_panic|compile_fail|edition\d+|test_harness|E\d+|\{.*\})$/

function fenceLanguage(behind: string): string {
  const words = behind.split(/[\s,]+/).filter((word) => word !== '')
  return words.every((word) => testWord.test(word)) ? 'rust' : (words[0] ?? '')
}

/** rustdoc compiles example lines that start with `# `, but does not show them. */
function isHidden(line: string): boolean {
  return /^ *#(?: |$)/.test(line)
}

/** Matches `[Lamp]: crate::Lamp`, but not `[guide]: https://…`. */
const linkTarget = /^ {0,3}\[[^\]]{1,200}\]: *(?!<?https?:)\S{1,300} *(?:"[^"]*")? *$/

/** Matches a link definition such as `[guide]: https://…` and captures its name. */
const webTarget = /^ {0,3}\[([^\]]{1,200})\]: *<?https?:/

/** Replaces links to items, such as `[text](crate::Lamp)`, with their text. Keeps web links. */
function withoutItemLinks(line: string, webLinks: ReadonlySet<string>): string {
  if (!line.includes('[')) return line
  return line
    .replace(/\[(`[^`\]]{1,200}`)\](?:\[[^\]]{0,200}\])?(?![[(:])/g, '$1')
    .replace(/\[([^[\]]{1,200})\]\[([^[\]]{1,200})\]/g, (whole, text: string, name: string) =>
      webLinks.has(name) ? whole : text,
    )
    .replace(/\[([^[\]]{1,200})\]\((?!<?(?:https?:|#))[^()\s]{1,300}\)/g, '$1')
}
