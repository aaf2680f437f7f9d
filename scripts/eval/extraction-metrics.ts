/** Compares the extraction of a page with its source. Shares are between 0 and 1. */
export type PageMetrics = {
  precision: number
  recall: number
  f1: number
  /**
   * Number of code samples in the source that a fence of the extraction contains, line for line.
   */
  codeFound: number
  /** Number of code samples that are anywhere in the extraction, ignoring white space. */
  codeFoundLoosely: number
  codes: number
  /**
   * Number of words in lines that are not in the source of the page and are repeated on other
   * pages.
   */
  boilerplateWords: number
  words: number
}

type Extraction = { source: string; codes: string[]; text: string }

/**
 * Measures the pages of a website. Lines that are repeated on several of its pages are boilerplate.
 */
export function siteMetrics(pages: Extraction[]): PageMetrics[] {
  const repeated = repeatedLines(pages.map(({ text }) => text))
  return pages.map((page) => pageMetrics(page, repeated))
}

/** Averages shares over pages; adds up code and boilerplate over the whole website. */
export function meanMetrics(pages: PageMetrics[]) {
  const sum = (of: (page: PageMetrics) => number) =>
    pages.reduce((total, page) => total + of(page), 0)
  const codes = sum(({ codes: n }) => n)
  return {
    pages: pages.length,
    precision: sum(({ precision }) => precision) / pages.length,
    recall: sum(({ recall }) => recall) / pages.length,
    f1: sum(({ f1 }) => f1) / pages.length,
    codes,
    code: sum(({ codeFound }) => codeFound) / codes,
    codeLoosely: sum(({ codeFoundLoosely }) => codeFoundLoosely) / codes,
    boilerplate: sum(({ boilerplateWords }) => boilerplateWords) / sum(({ words: n }) => n),
  }
}

function pageMetrics({ source, codes, text }: Extraction, repeated: Set<string>): PageMetrics {
  const wanted = counted(words(source))
  const found = words(text)
  let shared = 0
  for (const word of found) {
    const left = wanted.get(word) ?? 0
    if (left > 0) shared++
    wanted.set(word, left - 1)
  }
  const nWanted = words(source).length
  const precision = found.length === 0 ? 0 : shared / found.length
  const recall = nWanted === 0 ? 1 : shared / nWanted
  const fences = codeBlocks(text).map(lines)
  const squeezed = text.replace(/^[ \t]*(?:> ?)+/gm, '').replace(/\s+/g, '')
  return {
    precision,
    recall,
    f1: shared === 0 ? 0 : (2 * precision * recall) / (precision + recall),
    codes: codes.length,
    codeFound: codes.filter((code) => fences.some((fence) => fence.includes(lines(code)))).length,
    codeFoundLoosely: codes.filter((code) => squeezed.includes(code.replace(/\s+/g, ''))).length,
    boilerplateWords: boilerplate({ source, text }, repeated),
    words: found.length,
  }
}

/**
 * Returns the words that a reader of Markdown or rst sees, without link targets, tags, attributes,
 * code languages and marks.
 */
export function words(text: string): string[] {
  const plain = text
    .replace(/^[ \t>]*(?:[-*+] +|\d+\. +)?(?:`{3,}|~{3,}).*$/gm, ' ')
    .replace(/<!--[^]*?-->/g, ' ')
    .replace(/(?<=\])\((?:[^()\s]|\([^()]*\))*(?:\s+"[^"]*")?\)/g, ' ')
    .replace(/<https?:[^>\s]*>/g, ' ')
    .replace(/<\/?[a-z][\w-]*(?:\s[^<>]*)?\/?>/gi, ' ')
    .replace(/&(?:amp|lt|gt|quot|nbsp|#\d+);/g, ' ')
  return plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Returns the contents of the fences of a Markdown text, at any indentation. */
export function codeBlocks(text: string): string[] {
  const fence = /^([ \t>]*)(`{3,}|~{3,})[^`\n]*\n([^]*?)^[ \t>]*\2[`~]*[ \t]*$/gm
  return [...text.matchAll(fence)].map(([, indent = '', , code = '']) =>
    code
      .split('\n')
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
      .join('\n'),
  )
}

/**
 * Normalizes code for comparison: removes common indentation, trailing white space and blank lines.
 */
function lines(code: string): string {
  const kept = code
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
  const indent = Math.min(...kept.map((line) => line.length - line.trimStart().length))
  return kept.map((line) => line.slice(indent)).join('\n')
}

function counted(found: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

const pagesOfRepeated = 3

function repeatedLines(texts: string[]): Set<string> {
  const seen = new Map<string, number>()
  for (const text of texts) {
    for (const line of new Set(text.split('\n').map(lineWords))) {
      seen.set(line, (seen.get(line) ?? 0) + 1)
    }
  }
  return new Set([...seen].filter(([, n]) => n >= pagesOfRepeated).map(([line]) => line))
}

function lineWords(line: string): string {
  return words(line).join(' ')
}

function boilerplate({ source, text }: { source: string; text: string }, repeated: Set<string>) {
  const known = ` ${words(source).join(' ')} `
  let found = 0
  for (const line of text.split('\n').map(lineWords)) {
    if (line !== '' && repeated.has(line) && !known.includes(` ${line} `)) {
      found += line.split(' ').length
    }
  }
  return found
}
