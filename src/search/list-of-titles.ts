const item = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/
/** Items with more words are sentences. */
const mostWords = 10
const fewestItems = 3
const leastShare = 0.75

/**
 * True for a list of features or a table of contents. Most of its lines are items without a
 * sentence or code, such as links and phrases in bold.
 */
export function isListOfTitles(content: string): boolean {
  const lines = content.split('\n').filter((line) => line.trim() !== '' && !/^#+ /.test(line))
  const titles = lines.filter((line) => isTitle(item.exec(line)?.[1]))
  return titles.length >= fewestItems && titles.length >= leastShare * lines.length
}

function isTitle(text: string | undefined): boolean {
  if (text === undefined) return false
  const plain = text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\*\*|__/g, '')
  return !/`|[.:;] |\.$/.test(plain) && plain.split(/\s+/).length <= mostWords
}

/** True for a module's list of names in the API reference. */
export function isListOfNames({ title, content }: { title: string; content: string }): boolean {
  const lines = content.split('\n').filter((line) => line.trim() !== '')
  const names = lines.filter((line) => line.startsWith(`- \`${title}`))
  return names.length >= fewestItems && names.length >= leastShare * lines.length
}
